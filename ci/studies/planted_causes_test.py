"""Of planted changes `ridgeline trend` names the right cause: a few of those of the study."""

from ci.studies import planted_causes
from harness.run.scripted_runs import BUILD


def test_the_causes_of_planted_changes_are_named(tmp_path):
    rows = list(planted_causes.rows(BUILD / "ridgeline", tmp_path, 1))
    for row in rows:
        assert row.count >= planted_causes.CASES, row
        if not row.kind.moves:
            assert row.right == row.count, row
    moving = [row for row in rows if row.kind.moves]
    right, count = (sum(getattr(row, key) for row in moving) for key in ("right", "count"))
    assert right >= 0.9 * count, moving
    text = planted_causes.table(rows)
    assert len(text.splitlines()) == len(planted_causes.KINDS) + 3
    assert "| the code | `code` | 8 | 8 |  |  |  |  |  | 100.0% |" in text
