"""What a build with CUDA says of its kernels: commands, object files, names, and tables that are
committed."""

import difflib
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path


class Unreadable(Exception):
    pass


def readable(names: list[str]) -> list[str]:
    """Demangled names without return type, own namespaces and parameters: gemm::naive<float>."""
    answer = subprocess.run(
        ["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True
    )
    found = []
    for name in answer.stdout.splitlines():
        name = (
            name.replace("(anonymous namespace)::", "")
            .replace("ridgeline::", "")
            .removeprefix("void ")
        )
        depth = 0
        for position, letter in enumerate(name):
            depth += {"<": 1, ">": -1}.get(letter, 0)
            if letter == "(" and depth == 0:
                name = name[:position]
                break
        found.append(name)
    return found


def commands(build: Path) -> list[tuple[Path, list[str]]]:
    """The source files of the build with the command that compiles each."""
    file = build / "compile_commands.json"
    if not file.is_file():
        raise Unreadable(f"{build} is no configured build; build first")
    return [
        (Path(entry["file"]), shlex.split(entry["command"]))
        for entry in json.loads(file.read_text())
    ]


def output(build: Path, command: list[str]) -> Path:
    return build / command[command.index("-o") + 1]


def holds_variants(source: Path, root: Path) -> bool:
    """Whether these are kernels whose speed and accesses matter. Those of the oracles do not."""
    return (
        source.suffix == ".cu"
        and source.name != "oracle.cu"
        and source.is_relative_to(root / "kernels")
    )


def objects(build: Path, root: Path) -> list[tuple[str, Path]]:
    """The CUDA sources of kernels/ but for the oracles, relative to the root, with the object files
    that were built of them."""
    found = []
    for source, command in commands(build):
        if not holds_variants(source, root):
            continue
        built = output(build, command)
        notes = Path(f"{built}.ptxas")
        if not notes.is_file() or notes.stat().st_mtime < source.stat().st_mtime:
            raise Unreadable(
                f"{source.relative_to(root)} was not built since it changed; build first"
            )
        found.append((str(source.relative_to(root)), built))
    return sorted(found)


def nvcc_version(build: Path) -> str:
    nvcc = compiler_fact(build, "CUDA", "VERSION")
    if not nvcc:
        raise Unreadable(f"{build} was configured without a CUDA compiler")
    return nvcc


def host_compiler(build: Path) -> str:
    """Such as "g++ 12.2.0"."""
    name = compiler_fact(build, "CXX", "ID")
    return f"{'g++' if name == 'GNU' else name} {compiler_fact(build, 'CXX', 'VERSION')}"


def compiler_fact(build: Path, language: str, name: str) -> str:
    text = "".join(
        file.read_text() for file in build.glob(f"CMakeFiles/*/CMake{language}Compiler.cmake")
    )
    fact = re.search(rf'^set\(CMAKE_{language}_COMPILER_{name} "([^"]*)"\)', text, re.MULTILINE)
    return fact[1] if fact else ""


def compare(old: str, new: str, golden: Path, advice: str) -> int:
    """0 when the tables agree, or were made by different compilers, which a line of the table names
    ("# nvcc 13.0")."""
    made_by, version = (re.search(r"^# (nvcc .*)$", text, re.MULTILINE) for text in (old, new))
    if made_by and version and made_by.group(1) != version.group(1):
        print(
            f"{golden.name} was made by {made_by.group(1)}, this is {version.group(1)}: "
            "numbers are not compared"
        )
        return 0
    if old == new:
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(old.splitlines(True), new.splitlines(True), str(golden), "now")
    )
    print(f"\n{advice}")
    return 1
