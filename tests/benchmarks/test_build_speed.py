"""The benchmark of a whole build: what it counts of processes, its arithmetic, its table."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import build_speed  # noqa: E402
from bare_tagging import KINDS, blocks, count_lines, open_tagger, tag, tag_and_discard  # noqa: E402
from build_speed import Measured, Stage, doubling, first_lines, report, spread, stages_of, table, wall  # noqa: E402
from processes import Run, measured  # noqa: E402

SPENDS = """
import subprocess, sys, time
held = b"x" * (64 << 20)
if sys.argv[1:]:
    while time.process_time() < 0.5:
        pass
else:
    subprocess.run([sys.executable, __file__, "child"], check=True)
"""
"""Two processes that hold 64 MiB each at the same time; the second spends half a second of a processor."""

GIB = 2**30
SMALL = Measured(
    1000,
    [Run(4, 6, GIB), Run(8, 6, GIB)],
    {"discarded": [Run(2, 3, GIB), Run(2, 4, GIB)], "returned": [Run(4, 3, GIB), Run(4, 2, GIB)]},
    [Stage("ingest", 3.0, {"AnalyseBucket": 4.5, "ReadSpan": 0.5})],
)
LARGE = Measured(4000, [Run(24, 30, 2 * GIB)], {kind: [Run(12, 10, GIB)] for kind in KINDS}, [])


def test_all_processes_of_a_command_count(tmp_path: Path) -> None:
    program = tmp_path / "spends.py"
    program.write_text(SPENDS)
    found = measured([sys.executable, program])
    assert found.cpu >= 0.5 and found.seconds >= 0.5
    assert found.peak >= 2 * (64 << 20)


def test_a_command_that_fails_is_an_error_with_what_it_said() -> None:
    with pytest.raises(SystemExit, match="(?s)failed: .*no such luck"):
        measured([sys.executable, "-c", "raise SystemExit('no such luck')"])


def test_ratios_are_of_the_runs_in_pairs() -> None:
    assert SMALL.ratios("discarded", wall) == [2, 4]
    lines = report(SMALL)
    assert lines[0] == "build: 6.00 (4.00-8.00) s, CPU 6.00 (6.00-6.00) s, peak memory 1.00 (1.00-1.00) GiB"
    assert f"build / tagging, {KINDS['discarded']}: wall 3.00 (2.00-4.00), CPU 1.75 (1.50-2.00)" in lines
    assert f"build / tagging, {KINDS['returned']}: wall 1.50 (1.00-2.00), CPU 2.50 (2.00-3.00)" in lines
    assert lines[-1] == "stage ingest: 3.00 s; CPU 5.00 s: AnalyseBucket 4.50, ReadSpan 0.50"


def test_growth_is_that_of_one_doubling() -> None:
    # Four times the sentences are two doublings, by the square root of 24 / 6.
    assert doubling(SMALL, LARGE, wall) == pytest.approx(2)
    assert doubling(LARGE, LARGE.__class__(8000, [Run(54, 1, 1)], {}, []), wall) == pytest.approx(54 / 24)


def test_a_table_has_a_row_for_each_size() -> None:
    header, rule, small, large = ([*map(str.strip, line.strip("|").split("|"))] for line in table([SMALL, LARGE]))
    assert len(header) == len(rule) == len(small) == len(large)
    assert [small[0], *small[-2:]] == ["1,000", "", ""]
    assert [large[0], *large[-2:]] == ["4,000", "2.00", "2.24"]


def test_figures_show_their_range() -> None:
    assert (spread([3, 1, 2], 1), spread([1.234])) == ("2.0 (1.0-3.0)", "1.23")


def test_stages_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number, name in ((10, "publish"), (2, "select")):
        folder = tmp_path / "stages" / f"{number}-{name}"
        folder.mkdir(parents=True)
        summary = {"counters": {"read": 7, "cpu_ms_Send": 1500, "cpu_ms_Keep": 250}}
        (folder / "MANIFEST.json").write_text(json.dumps({"name": name, "seconds": 1.5, "summary": summary}))
    assert stages_of(tmp_path) == [Stage(name, 1.5, {"Send": 1.5, "Keep": 0.25}) for name in ("select", "publish")]


def test_the_first_lines_of_a_corpus(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("하나\n둘\n셋\n", encoding="utf-8")
    assert first_lines(corpus, 2, tmp_path / "two.txt").read_text(encoding="utf-8") == "하나\n둘\n"
    with pytest.raises(SystemExit, match=r"has 3 lines, and 4 are wanted: .* \(scale_corpus.py 4 FILE\)"):
        first_lines(corpus, 4, tmp_path / "four.txt")


def test_without_the_real_sentences_the_short_corpus_is_each_sample_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_speed, "SCALE_CORPUS", tmp_path / "absent.py")
    found = build_speed.short_corpus(tmp_path / "short.txt").read_text(encoding="utf-8").splitlines()
    assert len(found) > 500 and found[0] == "한 남자가 공원 벤치에 앉아 두꺼운 책을 읽고 있다."


def test_both_kinds_of_tagging_analyse_every_line(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("개가 짖는다.\n" * 5000, encoding="utf-8")
    open_tagger()
    assert count_lines(corpus) == sum(len(tag_and_discard(block)) for block in blocks(corpus)) == 5000
    (analysis,) = tag(["개가 짖는다."])
    assert [line.partition("\t")[0] for line in analysis.splitlines()] == ["개", "가", "짖", "는다", ".", "EOS"]
