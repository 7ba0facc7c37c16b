"""Ratings of people: the published figures, agreement against definition and worked examples, correlations."""

import csv
import json
import math
from itertools import combinations, product
from pathlib import Path
from xml.etree.ElementTree import fromstring

import html5lib
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from conceptloom.cli import run
from conceptloom.errors import ConfigError, InputError
from conceptloom.ratings.agreement import agreement, average_kappas, fleiss_kappa, krippendorff_alpha
from conceptloom.ratings.correlation import METHODS, Correlation, correlations, sentence_scores
from conceptloom.ratings.reading import Ratings, read_ratings, total
from conceptloom.ratings.report import Report, correlation_map, report_page
from conceptloom.ratings.systems import all_correlations, human_scores, systems_of_models

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "ko" / "outputs" / "human"
PUBLISHED = {"grammar": 1.44, "commonsense": 1.36, "factuality": 1.81, "fluency": 1.28}
TABLES = arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(2, 4)), elements=st.sampled_from([0.0, 1.0, 2.0]))


def _published(criterion: str) -> Ratings:
    path = FOLDER / f"mt5s_{criterion}_korean_commongen.txt"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    (found,) = read_ratings(str(path))
    return found


def _write(path: Path, *lines: str) -> str:
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)


@pytest.mark.parametrize("criterion", PUBLISHED)
def test_the_published_means(criterion: str) -> None:
    ratings = _published(criterion)
    assert (ratings.model, ratings.criterion, ratings.table.shape) == ("mt5s", criterion, (2040, 3))
    assert ratings.mean == pytest.approx(PUBLISHED[criterion], abs=0.0051)


def kappa_by_pairs(table: np.ndarray) -> float:
    """Fleiss (1971): how often two raters of an item agree, above what two ratings drawn from all of them do."""
    seen = np.mean([one == other for row in table for one, other in combinations(row, 2)])
    chance = np.mean([one == other for one, other in product(table.ravel(), repeat=2)])
    return float((seen - chance) / (1 - chance))


def test_kappa_of_a_worked_example() -> None:
    # Ten items, fourteen raters, five categories (Wikipedia, "Fleiss' kappa"): 0.210; statsmodels 0.14: 0.20993070.
    counts = """
        0 0 0 0 14   0 2 6 4 2   0 0 3 5 6   0 3 9 2 0   2 2 8 1 1
        7 7 0 0 0    3 2 6 3 0   2 5 3 2 2   6 5 2 1 0   0 2 2 3 7
    """
    rows = np.array(counts.split(), dtype=int).reshape(10, 5)
    table = np.array([np.repeat(np.arange(5.0), row) for row in rows])
    assert fleiss_kappa(table) == pytest.approx(0.20993070442195522)


@pytest.mark.parametrize("criterion", PUBLISHED)
def test_kappa_is_near_the_published_average(criterion: str) -> None:
    # The published figures are means over four models, of which this is one.
    averages = {"grammar": 0.344, "commonsense": 0.426, "factuality": 0.478, "fluency": 0.400}
    assert fleiss_kappa(_published(criterion).table) == pytest.approx(averages[criterion], abs=0.06)


@settings(max_examples=80, deadline=None)
@given(TABLES)
def test_kappa_is_its_definition_on_any_table(table: np.ndarray) -> None:
    if len(np.unique(table)) < 2:
        assert math.isnan(fleiss_kappa(table))
    else:
        assert fleiss_kappa(table) == pytest.approx(kappa_by_pairs(table), abs=1e-12)


def test_kappa_is_of_what_all_raters_rated() -> None:
    table = np.array([[1.0, 1.0], [0.0, np.nan], [0.0, 0.0], [1.0, 0.0]])
    assert fleiss_kappa(table) == pytest.approx(fleiss_kappa(table[[0, 2, 3]]))
    assert math.isnan(fleiss_kappa(table[:, :1]))


def test_alpha_is_krippendorffs_own_example() -> None:
    # Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C.
    data = """
        1 2 3 3 2 1 4 1 2 . . .
        1 2 3 3 2 2 4 1 2 5 . 3
        . 3 3 3 2 3 4 2 2 5 1 .
        1 2 3 3 2 4 4 1 2 5 1 .
    """
    rows = [[math.nan if x == "." else float(x) for x in line.split()] for line in data.strip().splitlines()]
    table = np.array(rows).T
    for level, value in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        assert krippendorff_alpha(table, level) == pytest.approx(value, abs=0.0006)
    with pytest.raises(ConfigError, match="'cardinal'"):
        krippendorff_alpha(table, "cardinal")


def test_alpha_without_disagreement_to_see_is_nan() -> None:
    assert math.isnan(krippendorff_alpha(np.ones((4, 3))))
    assert math.isnan(krippendorff_alpha(np.array([[1.0, np.nan], [np.nan, 2.0]])))


def test_kappas_are_averaged_over_models() -> None:
    rows = [
        agreement(Ratings(m, "x", ("1", "2", "3"), t)) for m, t in (("a", _table("001122")), ("b", _table("011220")))
    ]
    kappas = [row.kappa for row in rows]
    assert kappas[0] == 1 and kappas[1] < 0
    assert average_kappas(rows) == {"x": (pytest.approx(np.mean(kappas)), 2)}


def _table(digits: str) -> np.ndarray:
    return np.array(list(map(float, digits))).reshape(-1, 2)


def test_csv_has_an_item_a_row_and_a_rater_a_column(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "r.csv", "criterion,item,model,Kim,Lee", "GC,a,m,2,1", "GC,b,m,0,", "FL,a,m,1,1", "GC,a,n, 2 ,2"
    )
    found = {(one.model, one.criterion): one for one in read_ratings(path)}
    assert list(found) == [("m", "GC"), ("m", "FL"), ("n", "GC")]
    assert found["m", "GC"].items == ("a", "b")
    assert found["m", "GC"].mean == pytest.approx(1.0)
    assert found["m", "GC"].of_items.tolist() == [1.5, 0.0]
    plain = read_ratings(_write(tmp_path / "plain.csv", "item,one", "x,3"))
    assert [(one.model, one.criterion, one.mean) for one in plain] == [("", "plain", 3.0)]


@pytest.mark.parametrize(
    ("name", "lines", "what"),
    [
        ("r.txt", ["2", "1"], "r.txt has 2 ratings, not a multiple of 3"),
        ("r.txt", ["2", "x", "1"], "r.txt: line 2: 'x' is not a rating"),
        ("r.txt", ["2", "", "1"], "r.txt: line 2: '' is not a rating"),
        ("r.csv", ["who,a", "1,2"], "the first line must name the columns: item"),
        ("r.csv", ["item", "1"], "the first line must name the columns: item"),
        ("r.csv", ["item,a,a", "1,2,3"], "all different"),
        ("r.csv", ["item,a", "1,2", "1,2"], "r.csv: line 3: item '1' occurs twice"),
        ("r.csv", ["item,a", "1,2,3"], "r.csv: line 2 has more columns"),
        ("r.csv", ["item,a", "1,nan"], "r.csv: line 2: 'nan' is not a rating"),
        ("r.csv", ["item,a"], "r.csv: there are no ratings"),
    ],
)
def test_invalid_ratings(tmp_path: Path, name: str, lines: list[str], what: str) -> None:
    with pytest.raises(InputError, match=what):
        read_ratings(_write(tmp_path / name, *lines))


def test_a_total_is_the_sum_of_all_criteria() -> None:
    one, other = (Ratings("m", name, ("1", "2"), _table(digits)) for name, digits in (("x", "0012"), ("y", "2212")))
    both = total([one, other])
    assert both is not None and both.of_items.tolist() == [2.0, 3.0]
    assert total([one]) is None
    assert total([one, Ratings("m", "z", ("1", "3"), _table("0012"))]) is None


@pytest.mark.parametrize("method", METHODS)
def test_correlations_are_scipys_over_what_both_have(method: str) -> None:
    source = np.random.default_rng(4)
    human = source.integers(0, 3, (40, 3)).astype(np.float64)
    metric = human.mean(axis=1) + source.normal(0, 0.7, 40)
    metric[3], human[5] = np.nan, np.nan
    ratings = Ratings("m", "x", tuple(map(str, range(40))), human)
    found = correlations({"M": metric, "constant": np.ones(40)}, [ratings], method)
    kept = [at for at in range(40) if at not in (3, 5)]
    theirs = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[method](
        metric[kept], human[kept].mean(axis=1)
    )
    assert (found[0].value, found[0].p, found[0].items) == pytest.approx((theirs.statistic, theirs.pvalue, 38))
    assert math.isnan(found[1].value) and math.isnan(found[1].p)


def test_a_metric_of_other_sentences_is_refused() -> None:
    ratings = Ratings("m", "x", ("1", "2"), _table("0012"))
    with pytest.raises(InputError, match="M has 3 sentences, the ratings m x 2"):
        correlations({"M": np.ones(3)}, [ratings])
    with pytest.raises(ConfigError, match="'cosine'"):
        correlations({"M": np.ones(2)}, [ratings], "cosine")


@pytest.fixture
def scores(tmp_path: Path) -> str:
    columns = {"system": ["a"] * 4 + ["b"] * 4, "key": list("12341234"), "B": np.arange(8.0), "n": range(8)}
    pq.write_table(pa.table(columns), tmp_path / "s.parquet")
    return str(tmp_path / "s.parquet")


def test_scores_of_sentences_are_of_one_system(scores: str, tmp_path: Path) -> None:
    found = sentence_scores(scores, "b")
    assert list(found) == ["B"] and found["B"].tolist() == [4, 5, 6, 7]
    for name in (None, "c"):
        with pytest.raises(InputError, match="holds the systems a, b; name one of them"):
            sentence_scores(scores, name)
    pq.write_table(pa.table({"key": ["1"]}), tmp_path / "none.parquet")
    with pytest.raises(InputError, match="has no scores"):
        sentence_scores(str(tmp_path / "none.parquet"))


def test_the_command_writes_what_it_found(
    tmp_path: Path, scores: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [
        _write(tmp_path / name, *["0", "0", "1", "1", "1", "2", "2", "1", "2", "2", "2", "2"])
        for name in ("x.txt", "y.txt")
    ]
    pairs = _write(tmp_path / "c.csv", "item,rater,first,second,winner", "1,k,a,b,a", "1,l,a,b,a")
    arguments = ["ratings", f"m:GC={files[0]}", f"m:FL={files[1]}", f"--comparisons={pairs}", f"--scores={scores}"]
    arguments += ["--system=a", f"--output={tmp_path / 'out'}", "--method=spearman"]
    monkeypatch.setattr("sys.argv", ["conceptloom", *arguments, "--json"])
    assert run() == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "out" / "ratings.json").read_text("utf-8"))
    assert [row["mean"] for row in printed["ratings"]] == pytest.approx([16 / 12] * 2)
    assert printed["hits"] == {
        "a": {"hit@1": 100, "hit@3": 100, "hit@5": 100},
        "b": {"hit@1": 0, "hit@3": 100, "hit@5": 100},
    }
    assert printed["tau"] == 1
    with (tmp_path / "out" / "correlations.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["metric"], row["human"]) for row in rows] == [("B", "m GC"), ("B", "m FL"), ("B", "m total")]
    assert all(float(row["value"]) == pytest.approx(1) for row in rows)
    name = "a_model_with_a_very_long_name_that_no_terminal_of_eighty_columns_holds"
    monkeypatch.setattr("sys.argv", ["conceptloom", "ratings", f"{name}:commonsense={files[0]}"])
    assert run() == 0
    assert name in capsys.readouterr().out  # nothing is truncated in a file
    monkeypatch.setattr("sys.argv", ["conceptloom", *arguments])
    assert run() == 0
    text = capsys.readouterr().out
    for words in ("Fleiss' kappa", "Kendall's tau 1.000", "Hit@5", "m total", "spearman"):
        assert words in text
    assert "<svg" in (tmp_path / "out" / "ratings.html").read_text("utf-8")


def test_the_papers_table_with_its_total() -> None:
    """Korean CommonGen, table 5: mT5-large's GC, CS, FC, FL and TT (1.80 for FC, where its file has 1.81)."""
    ratings = [_published(name) for name in PUBLISHED]
    (last,) = human_scores(ratings)[len(ratings) :]
    report = Report([agreement(one) for one in ratings], totals={last.model: last.mean})
    columns, ((model, *means),) = report.means()
    assert (columns, model) == (["Model", *PUBLISHED, "TT"], "mt5s")
    assert means == pytest.approx([1.44, 1.36, 1.80, 1.28, 5.89], abs=0.011)


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("mt5s_grammar_korean_commongen.txt", ("mt5s", "grammar")),
        ("mt5s_grammar_reform.txt", ("mt5s-reform", "grammar")),
        ("mt5s_grammar_korean_commongen_reform.txt", ("mt5s-reform", "grammar")),
        ("grammar.txt", ("", "grammar")),
        ("x_reform.txt", ("", "x_reform")),
    ],
)
def test_names_of_published_files(tmp_path: Path, name: str, names: tuple[str, str]) -> None:
    (found,) = read_ratings(_write(tmp_path / name, "1", "2", "0"))
    assert (found.model, found.criterion) == names


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a"], "there are ratings of m, n: say whose sentences a wrote by --system MODEL=a"),
        ([], "no system is given for the ratings of m, n: --system m=SYSTEM"),
        (["m=a"], "no system is given for the ratings of n: --system n=SYSTEM"),
        (["m=a", "n=b", "k=a"], "--system k=…: there are no ratings of it, but of m, n"),
        (["m="], "--system MODEL=SYSTEM, not 'm='"),
    ],
)
def test_ratings_of_one_model_are_not_compared_with_scores_of_another(given: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        systems_of_models(["m", "n"], given)


def test_a_single_model_needs_no_mapping() -> None:
    assert systems_of_models(["m"], []) == {"m": None}
    assert systems_of_models(["m"], ["a"]) == systems_of_models(["m"], ["m=a"]) == {"m": "a"}
    with pytest.raises(ConfigError, match="no ratings of it"):
        systems_of_models(["m"], ["n=a"])


def test_models_are_pooled_and_metrics_compared_with_metrics(tmp_path: Path) -> None:
    source = np.random.default_rng(8)
    metrics = {"B": source.normal(size=60), "R": source.normal(size=60)}
    metrics["R"] += metrics["B"]
    path = str(tmp_path / "s.parquet")
    pq.write_table(pa.table({"system": ["a"] * 30 + ["b"] * 30, **metrics}), path)
    tables = [source.integers(0, 3, (30, raters)).astype(np.float64) for raters in (3, 2)]
    items = tuple(map(str, range(30)))
    # The systems' sentences stand in the other order than the ratings.
    ratings = [Ratings("n", "x", items, tables[0]), Ratings("m", "x", items, tables[1])]
    found, among = all_correlations(path, ratings, ["m=a", "n=b"], "pearson")
    human = {"n x": tables[0].mean(axis=1), "m x": tables[1].mean(axis=1)}
    human["all models x"] = np.concatenate([human["n x"], human["m x"]])
    for one in found:
        column = metrics[one.metric]
        own = {"n x": column[30:], "m x": column[:30], "all models x": np.concatenate([column[30:], column[:30]])}
        assert one.value == pytest.approx(stats.pearsonr(own[one.human], human[one.human]).statistic)
    assert [(one.metric, one.human) for one in found] == [(name, who) for who in human for name in "BR"]
    assert [(one.metric, one.human) for one in among] == [(a, b) for b in "BR" for a in "BR"]
    values = {(one.metric, one.human): one.value for one in among}
    assert values["B", "R"] == values["R", "B"] == pytest.approx(stats.pearsonr(metrics["B"], metrics["R"]).statistic)
    assert values["B", "B"] == pytest.approx(1)
    with pytest.raises(InputError, match="B has 30 sentences, the ratings n x 2"):
        all_correlations(path, [Ratings("n", "x", ("1", "2"), _table("0012")), ratings[1]], ["m=a", "n=b"], "pearson")


def test_the_command_refuses_another_models_scores(
    tmp_path: Path, scores: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [_write(tmp_path / name, *"011112222222") for name in ("x.txt", "y.txt")]
    arguments = ["conceptloom", "ratings", f"m:GC={files[0]}", f"n:GC={files[1]}", f"--scores={scores}"]
    monkeypatch.setattr("sys.argv", [*arguments, "--system=a"])
    assert run() == 1
    assert "say whose sentences a wrote by --system MODEL=a" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", [*arguments, "--system=m=a", "--system=n=b", f"--output={tmp_path / 'out'}"])
    assert run() == 0
    assert "all models GC" in capsys.readouterr().out
    assert (tmp_path / "out" / "metrics.csv").read_text("utf-8").splitlines()[1].startswith("B,B,")
    page = (tmp_path / "out" / "ratings.html").read_text("utf-8")
    assert "Metrics and metrics" in page and html5lib.HTMLParser(strict=True).parse(page) is not None
    monkeypatch.setattr("sys.argv", ["conceptloom", "ratings", files[0], "--system=a"])
    assert run() == 1
    assert "--system names a system of --scores: give that file too" in capsys.readouterr().err


def test_the_command_needs_something_to_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["conceptloom", "ratings"])
    assert run() == 1
    assert "name files of ratings" in capsys.readouterr().err


def test_a_heat_map_shows_every_correlation() -> None:
    nan = float("nan")
    rows = (("A", "x", 0.8, 0.01), ("B", "x", -0.2, 0.3), ("<B>", "y", nan, nan))
    found = [Correlation(*row, 9) for row in rows]
    tree = fromstring(correlation_map(found))
    assert len(list(tree.iter("rect"))) == 3
    texts = ["".join(text.itertext()) for text in tree.iter("text")]
    assert texts[:3] == ["0.80*", "-0.20", "–"]
    assert "<B>" in texts
    html5lib.HTMLParser(strict=True).parse(report_page(Report(correlations=found, hits={"<a>": {1: 5.0}})))
