"""What programs of others became part of ours: found in what the build read, never in a list that
somebody keeps.

Ninja knows every header that an object file was compiled with, and every archive that a program was
linked with. The package manager knows which package each belongs to.
"""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ci.releases.needs import Refused

# Debian package: the name of what is in it, and its licence (SPDX). Packages whose names have
# versions are patterns.
PACKAGES = {
    r"libbenchmark-dev": ("Google Benchmark", "Apache-2.0"),
    r"libboost[0-9.]+-dev|libboost-context[0-9.]+-dev": ("Boost", "BSL-1.0"),
    r"libcli11-dev": ("CLI11", "BSD-3-Clause"),
    r"libfmt-dev": ("fmt", "MIT"),
    r"libgcc-\d+-dev": (
        "libgcc and libgomp",
        "GPL-3.0-or-later WITH GCC-exception-3.1",
    ),
    r"libstdc\+\+-\d+-dev": ("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    r"libopenblas-openmp-dev": ("OpenBLAS", "BSD-3-Clause"),
    r"libsqlite3-dev": ("SQLite", "blessing"),
    r"libsqlitecpp-dev": ("SQLiteCpp", "MIT"),
    r"libtomlplusplus-dev": ("toml++", "MIT"),
    r"nlohmann-json3-dev": ("JSON for Modern C++", "MIT"),
}
# Their headers say how to call what the machine brings, and nothing of them is part of a program.
CALLED = r"libc6-dev|libc-dev-bin|linux-libc-dev|libopenmpi-dev|libgtest-dev|libgmock-dev"
CUDA = "LicenseRef-NVIDIA-CUDA-Toolkit-EULA"


@dataclass(frozen=True)
class Part:
    name: str
    version: str
    licence: str  # SPDX
    address: str  # package URL
    text: str  # the licence, and whose copyright it is


def _answer(*command: str | Path) -> str:
    done = subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Refused(f"{' '.join(map(str, command))} failed: {done.stderr.strip()[:500]}")
    return done.stdout


def files_of_build(build: Path) -> set[Path]:
    """Headers that its objects were compiled with and archives that its programs were linked with,
    without those of the build itself."""
    read = set(
        re.findall(r"^    (/\S+)$", _answer("ninja", "-C", build, "-t", "deps"), re.MULTILINE)
    )
    for command in _answer("ninja", "-C", build, "-t", "commands").splitlines():
        read |= {word for word in command.split() if word.startswith("/") and word.endswith(".a")}
    inside = str(build.resolve())
    return {path.resolve() for each in read if (path := Path(each)) and not each.startswith(inside)}


def _packages() -> dict[str, str]:
    """Versions of the installed packages that could be part of a program, by name."""
    wanted = "|".join([*PACKAGES, CALLED])
    listed = _answer("dpkg-query", "--show", "--showformat=${Package} ${Version}\n").splitlines()
    found = dict(line.split(" ", 1) for line in listed)
    return {name: found[name] for name in found if re.fullmatch(wanted, name)}


def _of_packages(files: set[Path]) -> tuple[dict[str, str], set[Path]]:
    """Which packages some of the files are of, with their versions; and the files of none."""
    left, used = set(files), {}
    for name, version in _packages().items():
        own = {Path(each).resolve() for each in _answer("dpkg", "-L", name).splitlines()}
        if left & own:
            used[name] = version
            left -= own
    return used, left


def _text(paths: list[Path]) -> str:
    found = [each.read_text(errors="replace") for each in sorted(paths) if each.is_file()]
    if not found:
        raise Refused(f"no text of a licence in {', '.join(map(str, paths)) or 'its folder'}")
    return "\n".join(found)


def _debian_part(package: str, version: str) -> Part | None:
    for pattern, (name, licence) in PACKAGES.items():
        if re.fullmatch(pattern, package):
            return Part(
                name,
                version,
                licence,
                f"pkg:deb/debian/{package}@{version}",
                _text([Path("/usr/share/doc") / package / "copyright"]),
            )
    return None  # only called


def _toolkit_of(file: Path) -> Path | None:
    """The CUDA toolkit that the file lies in; folders inside one are called like it, too."""
    for index, name in enumerate(file.parts):
        if re.fullmatch(r"\.?cuda(-[\d.]+)?", name):
            return Path(*file.parts[: index + 1])
    return None


def _cuda_part(root: Path) -> Part:
    """The toolkit's static runtime and headers. Its licence is as long as a book, and NVIDIA
    asks for no copy of it."""
    nvcc = _answer(root / "bin" / "nvcc", "--version")
    version = re.search(r"V(\d+\.\d+\.\d+)", nvcc)
    if not version:
        raise Refused(f"{root}/bin/nvcc does not say its version")
    return Part(
        "NVIDIA CUDA runtime and headers",
        version[1],
        CUDA,
        f"pkg:generic/cuda-toolkit@{version[1]}",
        "Distributed under the licence agreement of the CUDA toolkit, which names the static\n"
        "runtime among what may be distributed: https://docs.nvidia.com/cuda/eula/\n",
    )


def _cudnn_part(folder: Path) -> Part:
    wheels = json.loads((folder / "wheels.json").read_text())
    (version,) = (
        name.partition("==")[2] for name in wheels if name.startswith("nvidia-cudnn-frontend==")
    )
    return Part(
        "cuDNN frontend",
        version,
        "MIT",
        f"pkg:pypi/nvidia-cudnn-frontend@{version}",
        _text([*(folder / "licenses").iterdir()]),
    )


def parts_of(build: Path, root: Path) -> list[Part]:
    """Of the programs in a build of the clone `root`. Refused when it read a file that belongs to
    nothing we know of, because then nobody knows what may be done with it."""
    own = root.resolve()
    files = files_of_build(build)
    cudnn = {each for each in files if each.is_relative_to(own / ".cudnn")}
    benchmark = {each for each in files if each.is_relative_to(own / ".cache" / "benchmark")}
    files = {
        each for each in files if not each.is_relative_to(own) or each.is_relative_to(own / ".cuda")
    }
    toolkits = {toolkit for each in files if (toolkit := _toolkit_of(each))}
    files = {each for each in files if not any(each.is_relative_to(one) for one in toolkits)}
    packages, unknown = _of_packages(files)
    if unknown:
        some = ", ".join(map(str, sorted(unknown)[:3]))
        raise Refused(
            f"{len(unknown)} files that the build read belong to no package in "
            f"ci/releases/parts.py: {some}"
        )
    found = [part for each in packages.items() if (part := _debian_part(*each))]
    found += [_cuda_part(each) for each in sorted(toolkits)]
    if cudnn:
        found.append(_cudnn_part(own / ".cudnn"))
    if benchmark:
        folder = own / ".cache" / "benchmark"
        version = (folder / "version").read_text().strip()
        found.append(
            Part(
                "Google Benchmark",
                version,
                "Apache-2.0",
                f"pkg:github/google/benchmark@v{version}",
                _text([folder / "LICENSE"]),
            )
        )
    unique = {(part.name, part.version): part for part in found}
    return sorted(unique.values(), key=lambda part: part.name.lower())
