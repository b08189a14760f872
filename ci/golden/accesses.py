"""Accesses to memory by kernel and source line, as two compilers made them of the same source: in
nvcc's PTX, and in the code that g++ makes for the emulated device, which calls a function before
each access."""

import re
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

# (kernel, file, line, kind) -> how many accesses of which width of a lane in bytes are in the code.
# The kinds are load, store, atomic (whose width is left open: 0) and async copy. Fragments of wmma
# are left out: PTX does not say how they are loaded and stored.
Accesses = dict[tuple[str, str, int, str], Counter]


def own_line(file: str) -> bool:
    """Whether a line of this file is a kernel's own, and no word of the language that stands for
    its caller."""
    return file.startswith("kernels/") and not file.startswith("kernels/ptx/")


# --- PTX

LOC = re.compile(
    r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:,\s*function_name\s+[^,]+,\s*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?"
)
ENTRY = re.compile(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")
INSTRUCTION = re.compile(r"^\s*(?:@!?%p\d+\s+)?([a-z][\w.:]*)\s+(.*);")


def ptx_access(opcode: str, operands: str) -> tuple[str, int] | None:
    """Kind and width of one instruction; nothing for what is no access to global or shared
    memory."""
    parts = opcode.split(".")
    if opcode.startswith("cp.async.c") and "shared" in opcode and "global" in opcode:
        size = re.search(r"\],\s*\[[^]]*\],\s*(\d+)", operands)
        return "async copy", int(size[1]) if size else 0
    if parts[0] == "ldmatrix":
        return "load", 16
    if parts[0] in ("atom", "red"):
        return "atomic", 0
    kind = {"ld": "load", "ldu": "load", "st": "store"}.get(parts[0])
    if kind is None or {"param", "const", "local", "async"} & set(parts):
        return None
    bits = re.fullmatch(r"[busf](8|16|32|64|128)", parts[-1])
    if not bits:
        return None
    vector = next((int(part[1:]) for part in parts if re.fullmatch(r"v[248]", part)), 1)
    return kind, vector * int(bits[1]) // 8


def parse_ptx(text: str, root: Path) -> Accesses:
    """Kernels are mangled. Accesses of device functions that nvcc did not inline are left out."""
    files = dict(re.findall(r'^\s*\.file\s+(\d+)\s+"([^"]+)"', text, re.MULTILINE))

    def name(number: str) -> str:
        path = Path(files.get(number, ""))
        return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)

    parents: dict[tuple[str, str, str], tuple[str, str, str]] = {}
    found: Accesses = defaultdict(Counter)
    kernel, here = "", ("", 0)
    for line in text.splitlines():
        if (start := ENTRY.search(line)) and ".entry" in line:
            kernel, here = start[1], ("", 0)
        elif start:
            kernel = ""
        if loc := LOC.search(line):
            place, caller = loc.groups()[:3], loc.groups()[3:]
            if caller[0]:
                parents[place] = caller
            else:
                parents.pop(place, None)
            if place[1] == "0":  # the compiler's own: what stood before goes on
                continue
            for _ in range(50):
                if own_line(name(place[0])) or place not in parents:
                    break
                place = parents[place]
            here = (name(place[0]), int(place[1]))
        elif (
            kernel
            and (instruction := INSTRUCTION.match(line))
            and (access := ptx_access(*instruction.groups()))
        ):
            found[(kernel, *here, access[0])][access[1]] += 1
    return dict(found)


# --- g++'s code for the emulated device

SANITIZER = re.compile(r"__tsan_(?:unaligned_|volatile_)*(read|write)(\d+)$")
# Calls of harness/emulated/calls.hpp that access memory for the lane, mangled.
WORDS = {
    "6updateEPv": ("atomic", 0),
    "10copy_asyncEPvPKvb": ("async copy", 16),
    "12copy_async_4": ("async copy", 4),
    "13load_matrices": ("load", 16),
    **{f"14load_read_onlyILi{width}E": ("load", width) for width in (1, 2, 4, 8)},
    "17load_read_only_16": ("load", 16),
}
FRAGMENTS = "harness/emulated/wmma.hpp"
CALL = re.compile(r" +([0-9a-f]+):\t.*\tcall +[0-9a-f]+ <([\w.$]+)[^>]*>")
RELOCATION = re.compile(r"\t+[0-9a-f]+: R_X86_64_(?:PLT32|PC32)\t([\w.$]+)")


@dataclass(frozen=True)
class Call:
    section: str
    function: str  # that calls, mangled
    address: int  # in the section, within the call
    called: str  # mangled


def emulated_access(called: str) -> tuple[str, int] | None:
    if access := SANITIZER.match(called):
        return {"read": "load", "write": "store"}[access[1]], int(access[2])
    if re.match(r"__tsan_atomic\d+_", called):
        return "atomic", 0
    word = called.removeprefix("_ZN9ridgeline8emulated")
    if word == called:
        return None
    return next((access for start, access in WORDS.items() if word.startswith(start)), None)


def parse_disassembly(text: str) -> list[Call]:
    """The calls in what `objdump -dr` prints of an object file."""
    found = []
    section = function = last = ""
    for line in text.splitlines():
        if heading := re.match(r"Disassembly of section (\S+):", line):
            section = heading[1]
        elif start := re.match(r"[0-9a-f]+ <([^>]+)>:$", line):
            function = start[1]
        elif call := CALL.match(line):
            found.append(Call(section, function, int(call[1], 16), call[2]))
            last = line
        elif (moved := RELOCATION.match(line)) and found and last:
            found[-1] = replace(
                found[-1], called=moved[1]
            )  # until it is linked, the call leads nowhere
        if not CALL.match(line):
            last = ""
    return found


def own_lines(object_file: Path, calls: list[Call]) -> dict[Call, tuple[str, int]]:
    """Where each call stands: its innermost line that is a kernel's own, relative to the source
    tree. Without those that move fragments."""
    lines = {}
    for section in sorted({call.section for call in calls}):
        here = [call for call in calls if call.section == section]
        command = ["addr2line", "-a", "-i", "-j", section, "-e", str(object_file)]
        addresses = "\n".join(f"{call.address:x}" for call in here)
        answer = subprocess.run(
            command, input=addresses, capture_output=True, text=True, check=True
        )
        places = [
            part.splitlines()[1:]
            for part in re.split(r"^(?=0x)", answer.stdout, flags=re.MULTILINE)
            if part
        ]
        for call, chain in zip(here, places, strict=True):
            parsed = [
                (source_of(file), int(line))
                for file, line in re.findall(r"^(.*):(\d+)", "\n".join(chain), re.M)
            ]
            own = next((place for place in parsed if own_line(place[0])), ("", 0))
            if not any(file == FRAGMENTS for file, _ in parsed):
                lines[call] = own
    return lines


def source_of(path: str) -> str:
    """A path of the debug information relative to the source tree, whichever folder the compiler
    ran in."""
    at = re.search(
        r"(?:^|/)((?:kernels|harness)/\S+?)(?:(?<=\.cu)\.cpp)?$", path
    )  # the build includes x.cu in x.cu.cpp
    return at[1] if at else path


def emulated_accesses(object_file: Path, names: dict[str, str]) -> Accesses:
    """Of each function in `names` (mangled), under the name that it stands for, with all that it
    calls in this file."""
    disassembly = subprocess.run(
        ["objdump", "-dr", str(object_file)], capture_output=True, text=True, check=True
    )
    calls = parse_disassembly(disassembly.stdout)
    by_function = defaultdict(list)
    for call in calls:
        by_function[call.function].append(call)
    lines = own_lines(object_file, [call for call in calls if emulated_access(call.called)])
    total: Accesses = defaultdict(Counter)
    for function, name in names.items():
        reached, ahead = set(), [function]
        while ahead:
            if (one := ahead.pop()) in reached:
                continue
            reached.add(one)
            for call in by_function.get(one, []):
                if call in lines and (access := emulated_access(call.called)):
                    total[(name, *lines[call], access[0])][access[1]] += 1
                elif call.called in by_function:
                    ahead.append(call.called)
    return dict(total)


# --- comparison


def same(a: Counter, b: Counter) -> bool:
    """Whether both compilers made the same accesses, however often either unrolled the loop that
    they stand in."""
    if a.keys() != b.keys():
        return False
    first = next(iter(a))
    return all(a[width] * b[first] == b[width] * a[first] for width in a)


def without_moved(gcc: Accesses, nvcc: Accesses) -> tuple[Accesses, Accesses]:
    """Both without what one compiler gives the line of a statement and the other that of an
    operand, two lines away at most."""
    gcc, nvcc = dict(gcc), dict(nvcc)
    for key in sorted(gcc.keys() - nvcc.keys()):
        kernel, file, line, kind = key
        for other in ((kernel, file, line + away, kind) for away in (1, -1, 2, -2)):
            if other in nvcc and other not in gcc and same(gcc[key], nvcc[other]):
                del gcc[key], nvcc[other]
                break
    return gcc, nvcc


def shown(widths: Counter) -> str:
    if not widths:
        return "none"
    return ", ".join(
        f"{count} x {f'{width} B' if width else '1'}" for width, count in sorted(widths.items())
    )


def requests_for_the_same_bytes(gcc: Counter, nvcc: Counter) -> float | None:
    """nvcc's requests over g++'s, if every access of the line is executed equally often; nothing
    where a width is left open."""
    if not gcc or not nvcc or 0 in gcc or 0 in nvcc:
        return None
    per_byte = [
        counter.total() / sum(width * count for width, count in counter.items())
        for counter in (gcc, nvcc)
    ]
    return per_byte[1] / per_byte[0]
