"""How a configured build folder compiles each source."""

import json
import re
from pathlib import Path

_INCLUDED = re.compile(r'^#include "(.*)"$', re.MULTILINE)


def entries(build: Path) -> list[dict[str, str]]:
    """compile_commands.json, with an entry per source also where several are compiled as one file
    (unity)."""
    found = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = entry["file"]
        together = _INCLUDED.findall(Path(file).read_text()) if "/Unity/" in file else [file]
        found += [
            {**entry, "file": source, "command": entry["command"].replace(file, source)}
            for source in together
        ]
    return found
