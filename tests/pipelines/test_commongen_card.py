"""What the data card says of dev's and test's support."""

from conceptloom.pipelines.commongen.card import _support


def test_quantiles_stand_below_their_heads() -> None:
    """Whatever the order in which a report has them: JSON sorts numbers as text."""
    report = {"held_out_support": {"test": {"25": 3, "5": 2, "50": 4, "75": 10, "95": 48}}}
    head, _, row, published = _support(report).strip().split("\n")
    assert head.endswith("| 5 % | 25 % | 50 % | 75 % | 95 % |")
    assert row == "| test | 2 | 3 | 4 | 10 | 48 |" and published.count("|") == row.count("|")
    assert _support({"held_out_support": {}}) == ""
