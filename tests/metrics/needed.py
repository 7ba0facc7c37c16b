"""What some tests of metrics want beyond the extra `test`."""

from importlib.util import find_spec

import pytest

WANTS = "wants pip install 'conceptloom[evaluation]'"
needs_captions = pytest.mark.skipif(not all(map(find_spec, ("spacy", "pycocoevalcap"))), reason=WANTS)
"""For the preset commongen: its metrics are pycocoevalcap's, on spaCy's tokens."""
