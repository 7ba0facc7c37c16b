from conceptloom.api import Build as Build
from conceptloom.api import EvaluationResult as EvaluationResult
from conceptloom.api import evaluate as evaluate
from conceptloom.api import open_build as open_build

__version__: str
