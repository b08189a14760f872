"""The table of verdicts that ci/studies/gate_study writes, read back."""

from ci.studies.publish import markers

COLUMNS = ("noise", "slow-down over delta", "regression", "tail", "pass", "undecided")


def rows_of(document: str) -> list[dict[str, str]]:
    """Its rows by column. Raises ValueError where the document has no such table."""
    begin, end = markers("gate study verdicts")
    _, _, behind = document.partition(begin)
    table = [line for line in behind.partition(end)[0].splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    if len(cells) < 3 or not set(COLUMNS) <= set(cells[0]):
        raise ValueError("has no table of verdicts")
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]
