"""Counts the instructions of each kernel in what `cuobjdump -sass` prints of an object file."""

import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

# What is told apart, in this order; the rest (addresses, comparisons, moves) is "other".
MEMORY = """
LDG STG LD ST LDL STL LDGSTS LDS STS
"""  # with the width of a lane's access in bits: LDG.128
UNITS = """
RED REDG ATOM ATOMG ATOMS LDGDEPBAR UTMALDG UTMASTG UBLKCP LDSM STSM
HMMA IMMA DMMA QMMA HGMMA IGMMA QGMMA WARPGROUP
FFMA FADD FMUL HFMA2 HADD2 HMUL2 DFMA DADD DMUL MUFU IMAD
SHFL VOTE BAR SYNCS WARPSYNC BRA BSSY CALL
"""
WIDE = set(MEMORY.split())
ORDER = {name: place for place, name in enumerate((MEMORY + UNITS).split())}
INSTRUCTION = re.compile(
    r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)([^;]*);", re.MULTILINE
)


@dataclass
class Mix:
    name: str  # mangled
    arch: str
    counts: Counter = field(default_factory=Counter)
    multiply_adds: list[str] = field(default_factory=list)  # operands of FFMA

    def text(self) -> str:
        known = sorted(
            self.counts.keys() - {"other"}, key=lambda name: (ORDER[name.split(".")[0]], name)
        )
        parts = [f"{name} {self.counts[name]}" for name in known]
        return (f"{self.counts.total()} instructions: ") + ", ".join(
            [*parts, f"other {self.counts['other']}"]
        )


def width(modifiers: list[str]) -> str:
    """In bits, of a lane."""
    for modifier in modifiers:
        if re.fullmatch(r"[US]?(8|16|64|128)", modifier):
            return modifier.lstrip("US")
    return "32"


def classify(opcode: str, operands: str) -> str:
    """The class of one instruction; nothing for what fills up the code."""
    name, *modifiers = opcode.split(".")
    if name == "NOP":
        return ""
    if name == "HFMA2" and "-RZ, RZ" in operands:  # how ptxas loads a constant through another pipe
        return "other"
    if name not in ORDER:
        return "other"
    return f"{name}.{width(modifiers)}" if name in WIDE else name


def parse(text: str) -> list[Mix]:
    """The kernels of `cuobjdump -sass`, in its order."""
    found = []
    arch = ""
    for part in re.split(r"^(?=\s*(?:arch = |Function : ))", text, flags=re.MULTILINE):
        if heading := re.match(r"\s*arch = (\S+)", part):
            arch = heading.group(1)
        if heading := re.match(r"\s*Function : (\S+)", part):
            mix = Mix(heading.group(1), arch)
            for address, opcode, operands in INSTRUCTION.findall(part):
                # The code ends in a branch to itself, which nothing reaches.
                if (
                    opcode == "BRA"
                    and (to := re.search(r"0x([0-9a-f]+)", operands))
                    and int(to[1], 16) == int(address, 16)
                ):
                    continue
                if kind := classify(opcode, operands):
                    mix.counts[kind] += 1
                if kind == "FFMA":
                    mix.multiply_adds.append(operands)
            found.append(mix)
    return found


def disassembler() -> str | None:
    """cuobjdump of the PATH, else of a CUDA toolkit in its usual place."""
    places = [shutil.which("cuobjdump"), "/usr/local/cuda/bin/cuobjdump"]
    return next((place for place in places if place and os.access(place, os.X_OK)), None)


def disassemble(tool: str, objects: list[Path]) -> list[Mix]:
    mixes = []
    for file in objects:
        answer = subprocess.run(
            [tool, "-sass", str(file)], capture_output=True, text=True, check=False
        )
        if answer.returncode != 0:
            raise OSError(f"{tool} -sass {file} failed: {answer.stderr.strip()}")
        mixes += parse(answer.stdout)
    return mixes
