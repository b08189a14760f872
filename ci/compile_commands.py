"""How a configured build folder compiles each source."""

import json
import re
from pathlib import Path

_INCLUDED = re.compile(r'^#include "(.*)"$', re.MULTILINE)


def together(file: str) -> list[str]:
    """The sources that are compiled as `file`: more than one where it is one that CMake wrote
    (unity)."""
    return _INCLUDED.findall(Path(file).read_text()) if "/Unity/" in file else [file]


def entries(build: Path) -> list[dict[str, str]]:
    """compile_commands.json, with an entry per source also where several are compiled as one file
    (unity)."""
    found = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = entry["file"]
        found += [
            {**entry, "file": source, "command": entry["command"].replace(file, source)}
            for source in together(file)
        ]
    return found
