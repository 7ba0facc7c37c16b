import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for reading.py, as the tests are no package
