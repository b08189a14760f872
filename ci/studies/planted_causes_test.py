"""Of planted changes `ridgeline trend` names the right cause: a few of those of the study."""

from ci.studies import planted_causes
from harness.run.scripted_runs import BUILD


def test_the_causes_of_planted_changes_are_named(tmp_path):
    rows = list(planted_causes.rows(BUILD / "ridgeline", tmp_path, 1))
    for row in rows:
        # A case comes to know the machines of its pool, and tells few of their changes.
        assert row.count >= row.kind.moving or row.kind.machines, row
        if not row.kind.moves:
            assert row.right == row.count, row
    by_itself = [row for row in rows if row.kind.moves and not row.kind.machines]
    pools = [row for row in rows if row.kind.machines]
    for moving, least in ((by_itself, 0.9), (pools, 0.95)):
        right, count = (sum(getattr(row, key) for row in moving) for key in ("right", "count"))
        assert right >= least * count > 0, moving
    text = planted_causes.table(rows)
    assert len(text.splitlines()) == len(planted_causes.KINDS) + 3
    assert "| the code | `code` | 8 | 8 |  |  |  |  |  | 100.0% [63.1, 100.0] | open |" in text


def test_a_goal_is_reached_when_the_limits_say_so():
    # By scipy.stats.beta.ppf.
    assert planted_causes.judged(100, 100) == ("100.0% [96.4, 100.0]", "yes")
    assert planted_causes.judged(97, 100) == ("97.0% [91.5, 99.4]", "open")
    assert planted_causes.judged(80, 100) == ("80.0% [70.8, 87.3]", "no")
    assert planted_causes.judged(0, 0) == ("", "")
