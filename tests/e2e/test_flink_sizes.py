"""Real data on embedded Flink at many parallel tasks: the stages whose blocks are larger than a sort of Flink takes."""

import shutil
from pathlib import Path

import pytest
from builds import differing
from engines import flink_jars
from english_builds import ENGLISH, NAMES, build_english

from conceptloom.manifest import read_manifest
from conceptloom.runners.flink import open_flink

CAPTIONS = ENGLISH / "captions"


@pytest.mark.skipif(not CAPTIONS.is_dir(), reason="the real data is not in ../shared/data")
def test_blocks_of_megabytes_at_sixteen_tasks(tmp_path: Path) -> None:
    """Without parts and without memory for Flink: `Record too large`, `Insufficient number of network buffers`."""
    jars = flink_jars()
    inputs = {
        "coco": {"patterns": [str(CAPTIONS / "captions_val2017.json")]},
        "flickr": {"patterns": [str(CAPTIONS / "Flickr8k.token.txt")]},
    }
    # Three times the sets of the defaults.
    chosen = {"inputs": inputs, "conceptnet": str(NAMES), "preset": "every-lemma"}
    build_english(tmp_path / "here", **chosen)
    shutil.copytree(tmp_path / "here", tmp_path / "flink")
    for stage in ("4-split", "5-publish"):
        shutil.rmtree(tmp_path / "flink" / "stages" / stage)
    with open_flink(16, (f"--flink_job_server_jar={jars}",)) as runner:
        build_english(tmp_path / "flink", runner=runner, **chosen)
    assert differing(tmp_path / "here", tmp_path / "flink") == []
    manifest = read_manifest(str(tmp_path / "flink" / "stages" / "4-split"))
    assert manifest is not None and manifest.summary["counters"]["cut_blocks"] > 0
