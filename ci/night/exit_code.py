"""What a night ends with."""

from reports.console import FILES, INTERNAL, INTERRUPTED, MISSING

# Of several codes the first: interrupted; then what kept a step from doing its work (a file, an
# internal error, something missing, a command line), because nobody knows what it would have found;
# then what was found.
ORDER = (INTERRUPTED, FILES, INTERNAL, MISSING, 64, 2, 1, 3)

FINE, REGRESSION, FAILED_CASES, UNDECIDED = 0, 1, 2, 3

WORDS = {
    0: "fine",
    1: "a regression",
    2: "cases that are wrong, missing, crashed, timed out or not measured",
    3: "too little could be decided",
    64: "a command line that was not understood",
    69: "something needed is missing",
    70: "an internal error",
    74: "a file that could not be read or written",
    130: "interrupted; what was measured is stored",
}


def of_status(status: int) -> int:
    """The code that a program's exit status stands for; negative where a signal ended it, as in
    subprocess."""
    return status if status in WORDS else INTERNAL


def worst(codes: list[int]) -> int:
    return next((code for code in ORDER if code in codes), FINE)
