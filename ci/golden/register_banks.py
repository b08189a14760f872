"""The clocks that f32 multiply-adds take by the registers that they read.

The model: registers lie in two banks, even and odd numbers, each of which gives one register a
clock to a quarter of an SM. What `.reuse` holds from the multiply-add before costs nothing. NVIDIA
documents none of this: use it to compare versions of a kernel, not to predict times.
"""

import re
from collections import Counter
from collections.abc import Iterable

REGISTER = re.compile(r"(?<!\w)R(\d+)(\.reuse)?")


def clocks(multiply_adds: Iterable[str]) -> float | None:
    """The mean, of the operands of FFMA instructions in the order of the code: `R5, R5.reuse, R7,
    R6`. Those that read anything but three registers are left out; none left gives none."""
    taken = []
    held: list[str | None] = [None] * 3
    for operands in multiply_adds:
        sources = REGISTER.findall(operands)[1:]
        if len(sources) != 3:
            continue
        read = {register for place, (register, _) in enumerate(sources) if held[place] != register}
        held = [register if reuse else None for register, reuse in sources]
        of_bank = Counter(int(register) % 2 for register in read)
        taken.append(max([1, *of_bank.values()]))
    return sum(taken) / len(taken) if taken else None
