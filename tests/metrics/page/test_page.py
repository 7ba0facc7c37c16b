"""The page of an evaluation: well-formed, escaped, self-contained, and displayed by a real Chromium."""

import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import numpy as np
import pytest

from conceptloom.metrics import Item, Score
from conceptloom.metrics.measures.sums import average, total_score
from conceptloom.metrics.page.document import evaluation_page
from conceptloom.metrics.page.listing import ROWS, SCRIPT
from conceptloom.metrics.page.systems import PageSystem, leading, value_of_part
from conceptloom.metrics.resampling.significance import compare, intervals
from conceptloom.reporting.html import document

EVIL = "<script>document.title='gone'</script><img src=x onerror=\"document.title='gone'\">&amp;"
CONCEPTS = [("dog", "run"), ("cat",), ("man", "throw", "ball")]
SAID = ["The dogs ran.", EVIL, "A man has a ball.", "", "He throws balls."]


def _items(said: list[str]) -> list[Item]:
    return [
        Item(str(n), CONCEPTS[n % 3], (f"reference {n}", EVIL), text, f"captions {n % 2} <i>")
        for n, text in enumerate(said)
    ]


def _system(name: str, said: list[str], shift: float) -> PageSystem:
    values = np.array([10.0, 0.0, 30.0, np.nan, 20.0]) + shift * np.arange(5)
    scores: list[Score] = [
        Score("METEOR <b>", 12.5, None, "metric:METEOR|<sig>"),
        average("ROUGE-L", values, "metric:ROUGE-L"),
    ]
    return PageSystem(name, _items(said), scores, intervals(scores, resamples=50))


@pytest.fixture(scope="module")
def two() -> str:
    systems = [_system("one & only", SAID, 0.0), _system("<other>", SAID[::-1], 1.5)]
    compared = [
        one._replace(first=systems[0].name, second=systems[1].name)
        for one in compare(systems[0].scores, systems[1].scores, resamples=50)
    ]
    return evaluation_page(systems, compared, title="Tests & <titles>", warnings=[EVIL])


@pytest.fixture(scope="module")
def tree(two: str) -> Element:
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(two)


def _texts(tree: Element, tag: str) -> list[str]:
    return ["".join(found.itertext()) for found in tree.iter(tag)]


def test_the_page_has_all_its_parts(tree: Element) -> None:
    assert _texts(tree, "h2") == [
        "Scores",
        "Intervals",
        "Differences",
        "Distribution over sentences",
        "By number of concepts",
        "By source",
        "Best and worst sentences",
        "Side by side",
        "All sentences",
        "Signatures",
    ]
    assert _texts(tree, "caption")[0] == "one & only minus <other>"
    assert _texts(tree, "title")[0] == "Tests & <titles>"
    cells = _texts(tree, "td")
    for text in ("METEOR <b>", "metric:METEOR|<sig>", "12.50", "captions 1 <i>", "15.00"):
        assert text in cells


def test_nothing_said_is_markup_and_nothing_is_loaded(two: str, tree: Element) -> None:
    (script,) = tree.iter("script")
    assert script.text == SCRIPT and not list(tree.iter("img")) and not list(tree.iter("link"))
    assert not any("src" in found.attrib for found in tree.iter())
    assert not re.search(r"(https?:)?//", two.replace("<!DOCTYPE html>", ""))
    assert EVIL in _texts(tree, "div") and f"Warning: {EVIL}" in _texts(tree, "p")
    policy = [found.get("content") for found in tree.iter("meta") if "http-equiv" in found.attrib]
    digest = b64encode(sha256(SCRIPT.encode()).digest()).decode()
    assert policy == [f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"]


def test_the_contents_link_to_every_section(tree: Element) -> None:
    links = [found.get("href") for found in tree.iter("a")]
    assert links == [f"#{found.get('id')}" for found in tree.iter("h2")]
    assert len(set(links)) == len(links) == 10


def test_all_sentences_are_one_table_with_a_cap() -> None:
    said = [f"sentence {n}" for n in range(ROWS)]
    values = average("ROUGE-L", np.arange(float(ROWS)), "")
    systems = [PageSystem(name, _items(said), [values]) for name in ("a", "b", "c")]
    found = html5lib.parse(evaluation_page(systems), namespaceHTMLElements=False)
    (listed,) = (one for one in found.iter("table") if one.get("id") == "sentences")
    rows = [_texts(row, "td") for row in listed.iter("tr")][1:]
    assert [row[:2] for row in rows] == [[str(n + 1), name] for name in "abc" for n in range(ROWS // 3)]
    assert rows[0][2:] == ["dog, run", "sentence 0", f"reference 0{EVIL}", "0.00"]
    assert "999 sentences of 3,000; the rest is in sentences.parquet" in _texts(found, "summary")


def test_korean_is_marked_as_korean() -> None:
    items = [Item("개", ("개",), ("a dog",), "개가 있다.")]
    found = html5lib.parse(
        evaluation_page([PageSystem("k", items, [average("M", np.ones(1), "")])]), namespaceHTMLElements=False
    )
    marked = {"".join(one.itertext()) for one in found.iter() if one.get("lang") == "ko"}
    assert marked == {"개", "개가 있다."}


def test_missing_concepts_are_struck_out(tree: Element) -> None:
    best, worst = (_rows(tree, f"{kind} of one & only by ROUGE-L") for kind in ("Best", "Worst"))
    assert [_texts(row, "td")[0] for row in best] == ["30.00", "20.00", "10.00", "0.00"]
    assert [_texts(row, "del") for row in best] == [["throw"], ["cat"], [], ["cat"]]
    assert [_texts(row, "td")[0] for row in worst] == ["0.00", "10.00", "20.00", "30.00"]


def _rows(tree: Element, caption: str) -> list[Element]:
    """The rows of the table with this caption, without its header."""
    (found,) = (one for one in tree.iter("table") if _texts(one, "caption") == [caption])
    return [row for row in found.iter("tr") if _texts(row, "td")]


def test_korean_concepts_are_found_by_their_rule() -> None:
    said = ("강아지가 잔다.", "강아지가 뛰었다.")
    items = [Item(text, ("강아지", "뛰"), (said[1],), text) for text in said]
    text = evaluation_page([PageSystem("k", items, [average("ROUGE-L", np.array([1.0, 2.0]), "")])])
    found = html5lib.parse(text, namespaceHTMLElements=False)
    assert _texts(found, "del") == ["뛰", "뛰"]  # among the best and among the worst


def test_the_sentences_that_differ_most_stand_side_by_side(tree: Element) -> None:
    rows = [_texts(row, "td") for row in _rows(tree, "<other> better by ROUGE-L")]
    assert [(float(row[0]), float(row[2])) for row in rows] == [(20, 26), (30, 33), (0, 1.5), (10, 10)]
    assert "He throws balls." in rows[0][1] and "The dogs ran." in rows[0][3]


def test_one_system_has_no_comparison_and_no_table_of_one_row() -> None:
    found = html5lib.parse(evaluation_page([_system("one", SAID, 0.0)]), namespaceHTMLElements=False)
    assert "Side by side" not in _texts(found, "h2") and "Differences" not in _texts(found, "h2")
    alike = [Item(str(n), ("dog",), ("a dog",), text) for n, text in enumerate(SAID)]
    scores = [average("ROUGE-L", np.arange(5.0), "")]
    alone = html5lib.parse(evaluation_page([PageSystem("one", alike, scores)]), namespaceHTMLElements=False)
    assert not {"By source", "By number of concepts"} & set(_texts(alone, "h2"))


def test_many_systems_share_one_page_and_one_table() -> None:
    systems = [_system(f"s{n}", SAID[::-1] if n == 2 else SAID, float(n)) for n in range(5)]
    compared = compare(systems[0].scores, systems[4].scores, resamples=50)
    starred = [one._replace(first="s0", second="s4", permutation_holm=0.01) for one in compared]
    found = html5lib.parse(evaluation_page(systems, starred), namespaceHTMLElements=False)
    (board, *_) = found.iter("table")
    rows = [_texts(row, "td") for row in board.iter("tr")][1:]
    means = [float(np.nanmean(system.values("ROUGE-L"))) for system in systems]
    expected = [[f"s{n}", "12.50", f"{means[n]:.2f}" + "*" * (n == 0)] for n in (4, 3, 2, 1, 0)]
    assert rows == expected
    assert len([one for one in found.iter() if str(one.tag).endswith("}circle")]) == 5


def test_a_page_without_items_is_a_page() -> None:
    text = evaluation_page([PageSystem("none", [], [Score("M", float("nan"), None, "")])])
    assert _texts(html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text), "td")[:2] == ["M", "–"]


def test_systems_of_other_items_are_not_put_side_by_side() -> None:
    one, other = _system("one", SAID, 0.0), _system("other", SAID, 0.0)
    found = html5lib.parse(
        evaluation_page([one, PageSystem("other", other.items[::-1], other.scores)]), namespaceHTMLElements=False
    )
    assert "Scores" in _texts(found, "h2") and "Side by side" not in _texts(found, "h2")


def test_parts_are_scored_by_their_own_sums() -> None:
    sums = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 5.0]])
    score = total_score("P", sums, lambda rows: rows[:, 0] / rows[:, 1], np.array([0.5, 0.75, 1.0]), "")
    assert value_of_part(score, [0, 2]) == pytest.approx(6 / 7)
    assert value_of_part(average("M", np.array([1.0, np.nan, 4.0]), ""), [0, 1]) == 1
    assert np.isnan(value_of_part(Score("C", 1.0, None, ""), [0]))


def test_sentences_are_sorted_by_a_metric_that_tells_them_apart() -> None:
    scores = [average("flat", np.ones(5), ""), average("M", np.arange(5.0), "")]
    assert leading([PageSystem("one", _items(SAID), scores)]) == "M"
    assert leading([PageSystem("one", _items(SAID), scores[:1])]) is None


SEARCH = """<script>
const at = document.getElementById("search");
at.value = "THROWS balls"; at.dispatchEvent(new Event("input"));
const head = document.querySelector("#sentences th:last-child button"); head.click(); head.click();
const rows = [...document.querySelectorAll("#sentences tbody tr")];
const seen = [document.documentElement.scrollWidth, rows.filter((row) => !row.hidden).length];
parent.postMessage([...seen, rows[0].lastChild.textContent].join(" "), "*");
</script>"""
FRAME = """<iframe src="page.html" width="400" height="900" style="border: 0"></iframe>
<script>addEventListener("message", (said) => { document.title = said.data; });</script>"""


def _chromium(*arguments: str) -> bytes:
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no Chromium is here: apt install chromium")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
    return subprocess.run([program, *flags, *arguments], check=True, capture_output=True, timeout=60).stdout


@pytest.mark.slow
def test_chromium_shows_it(two: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(two, "utf-8")
    (tmp_path / "blank.html").write_text(document("blank"), "utf-8")
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    shown = _chromium(profile, "--dump-dom", f"file://{tmp_path}/page.html").decode("utf-8")
    tree = html5lib.parse(shown, namespaceHTMLElements=False)
    assert _texts(tree, "title")[0] == "Tests & <titles>"  # the script in the prediction did not run
    assert EVIL in _texts(tree, "div") and not list(tree.iter("img"))
    sizes = {}
    for name in ("page", "blank"):
        picture = tmp_path / f"{name}.png"
        _chromium(profile, "--window-size=1200,1600", f"--screenshot={picture}", f"file://{tmp_path}/{name}.html")
        assert picture.read_bytes().startswith(b"\x89PNG")
        sizes[name] = picture.stat().st_size
    assert sizes["page"] > 5 * sizes["blank"]


def test_the_table_is_searched_and_sorted_and_the_page_is_no_wider_than_a_telephone(two: str, tmp_path: Path) -> None:
    # The test's own script runs because the policy is taken out.
    page = re.sub("<meta http-equiv[^>]*>", "", two).replace("</body>", f"{SEARCH}</body>")
    (tmp_path / "page.html").write_text(page, "utf-8")
    (tmp_path / "frame.html").write_text(f"<title>none</title>{FRAME}", "utf-8")
    options = (f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=3000", "--dump-dom")
    shown = _chromium(*options, f"file://{tmp_path}/frame.html").decode("utf-8")
    width, found, highest = _texts(html5lib.parse(shown, namespaceHTMLElements=False), "title")[0].split()
    assert (width, found, highest) == ("400", "2", "33.00")
