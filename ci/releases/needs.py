"""What programs ask of the machine they run on, as their files say it."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

GLIBC = re.compile(
    r"(libc\.so\.6|libm\.so\.6|libdl\.so\.2|libpthread\.so\.0|librt\.so\.1|ld-linux-.*)"
)


class Refused(Exception):
    """A release cannot be made, and why."""


@dataclass(frozen=True)
class Needs:
    """Of one program."""

    glibc: tuple[int, ...]  # the newest version of a symbol; empty when it uses none
    libraries: tuple[str, ...]  # shared ones

    def beyond_glibc(self) -> list[str]:
        return [name for name in self.libraries if not GLIBC.fullmatch(name)]


def _objdump(option: str, program: Path) -> str:
    done = subprocess.run(
        ["objdump", option, str(program)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Refused(f"objdump cannot read {program}: {done.stderr.strip()}")
    return done.stdout


def needs_of(program: Path) -> Needs:
    versions = re.findall(r"\bGLIBC_([0-9.]+)", _objdump("-T", program))
    return Needs(
        max((tuple(map(int, each.split("."))) for each in versions), default=()),
        tuple(re.findall(r"^\s*NEEDED\s+(\S+)", _objdump("-p", program), re.MULTILINE)),
    )


def programs_in(folder: Path) -> list[Path]:
    found = [folder / "ridgeline", *sorted(folder.glob("ridgeline-*"))]
    found = [each for each in found if each.is_file()]
    if not found:
        raise Refused(f"there are no programs in {folder}")
    return found


def manylinux_tag(programs: list[Path]) -> str:
    """The oldest platform that all programs run on. Refused when one of them needs more than
    glibc, of which no such tag would be true."""
    newest: tuple[int, ...] = (2, 17)  # older ones have no manylinux tag of their own
    for program in programs:
        needs = needs_of(program)
        if beyond := needs.beyond_glibc():
            raise Refused(f"{program} needs {', '.join(beyond)}, which is not on every machine")
        newest = max(newest, needs.glibc[:2])
    return f"manylinux_{newest[0]}_{newest[1]}_x86_64"
