"""Makes a wheel of a tree that `cmake --install` wrote.

The programs become scripts of the environment. Profiles and the report go to share/ridgeline of it,
where the programs find them from their own place (harness/process/home), with what `ridgeline
check` and suites of others are compiled with, and the package of own kernels to where Python finds
it.
"""

import base64
import hashlib
import os
import re
import zipfile
from pathlib import Path

from ci.releases.needs import Refused

# Started by MPI, which no wheel brings: the tarball has it.
LEFT_OUT = {"ridgeline-collectives"}
# Folders of the tree that go to share/ridgeline.
SHARED = ("suites", "reports", "docs", "lib", "include")
DEPENDENCIES = ("jinja2>=3.1", "matplotlib>=3.8", "msgspec>=0.18", "numpy>=1.24")
EXTRAS = {
    "cuda13": ("nvidia-cublas>=13,<14", "nvidia-cudnn-cu13>=9,<10", "nvidia-nccl-cu13>=2"),
    "check": ("nvidia-cuda-runtime>=13,<14", "nvidia-cuda-crt>=13,<14", "nvidia-cuda-cccl>=13,<14"),
    "cuda12": ("nvidia-cublas-cu12", "nvidia-cudnn-cu12>=9,<10", "nvidia-nccl-cu12>=2"),
}
ABOUT = """Ridgeline measures GPU and CPU kernels: it verifies every output, keeps every sample,
measures the device's own ceilings in the same run, and says *slower*, *not slower* or *cannot tell*
with a stated error rate.

    pip install ridgeline-*.whl    # with [cuda13] behind it: the vendor's kernels, too
    ridgeline run                  # the quick profile on the GPU, else on the CPU
    ridgeline report               # pages in results/report
"""


def version_in(tree: Path) -> str:
    text = (tree / "harness" / "python" / "ridgeline" / "__init__.py").read_text()
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    if not found:
        raise Refused(f"{tree}/harness/python/ridgeline/__init__.py says no __version__")
    return found[1]


def _metadata(version: str) -> str:
    lines = [
        "Metadata-Version: 2.4",
        "Name: ridgeline",
        f"Version: {version}",
        "Summary: Reproducible GPU benchmark and regression suite",
        "License-Expression: Apache-2.0",
        "License-File: LICENSE",
        "License-File: THIRD-PARTY-NOTICES",
        "Requires-Python: >=3.11",
        *(f"Requires-Dist: {each}" for each in DEPENDENCIES),
    ]
    for extra, packages in EXTRAS.items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {each}; extra == "{extra}"' for each in packages]
    lines += ["Description-Content-Type: text/markdown", "", ABOUT]
    return "\n".join(lines)


def _files(folder: Path) -> list[Path]:
    return sorted(
        each
        for each in folder.rglob("*")
        if each.is_file() and "__pycache__" not in each.parts and each.suffix != ".pyc"
    )


def programs_of(tree: Path) -> list[Path]:
    """Those of its programs that a wheel has."""
    return [
        each
        for each in sorted((tree / "bin").iterdir())
        if each.name.startswith("ridgeline") and each.name not in LEFT_OUT
    ]


def tools_of(tree: Path) -> list[Path]:
    """What programs start, and nobody by hand."""
    return [each for each in _files(tree / "lib" / "ridgeline") if os.access(each, os.X_OK)]


def members(tree: Path, version: str) -> dict[str, Path]:
    """Where in the wheel which file of the tree goes."""
    data = f"ridgeline-{version}.data"
    found = {f"{data}/scripts/{each.name}": each for each in programs_of(tree)}
    for folder in SHARED:
        for each in _files(tree / folder):
            found[f"{data}/data/share/ridgeline/{each.relative_to(tree)}"] = each
    package = tree / "harness" / "python"
    for each in _files(package / "ridgeline"):
        found[str(each.relative_to(package))] = each
    return found


def make(tree: Path, into: Path, platform: str, documents: dict[str, str], when: tuple) -> Path:
    """Writes the wheel for `platform` ("manylinux_2_34_x86_64") into a folder and returns it.
    `documents` are texts for its .dist-info, by name; `when` is the date of all files in it:
    (year, month, day, hour, minute, second)."""
    version = version_in(tree)
    info, tag = f"ridgeline-{version}.dist-info", f"py3-none-{platform}"
    path = into / f"ridgeline-{version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:

        def add(name: str, content: bytes, mode: int = 0o644) -> None:
            member = zipfile.ZipInfo(name, when)
            member.external_attr = (0o100000 | mode) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(member, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            record.append(f"{name},sha256={digest.decode()},{len(content)}")

        for name, file in members(tree, version).items():
            program = "/scripts/" in name or os.access(file, os.X_OK)
            add(name, file.read_bytes(), 0o755 if program else 0o644)
        for name, text in documents.items():
            add(f"{info}/{name}", text.encode())
        add(f"{info}/METADATA", _metadata(version).encode())
        facts = ["Wheel-Version: 1.0", "Generator: ridgeline", "Root-Is-Purelib: false"]
        add(f"{info}/WHEEL", "\n".join([*facts, f"Tag: {tag}", ""]).encode())
        record.append(f"{info}/RECORD,,\n")
        member = zipfile.ZipInfo(f"{info}/RECORD", when)
        member.external_attr = 0o100644 << 16
        wheel.writestr(member, "\n".join(record))
    return path
