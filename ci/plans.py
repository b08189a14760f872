"""What `ci/test` runs after its set-up: everything, or with --quick what a change needs in the
daily loop."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ci import changed, stages
from ci.changed import said_by
from ci.stages import LOGS, ROOT, Stage, from_junit

VENV = Path(".venv/bin")  # commands run in ROOT, and are shown as one would type them there
TOOL = {name: str(VENV / name) for name in ("python", "ruff", "pytest")}
CORES = os.cpu_count() or 1
JOBS = str(CORES)
WAITING_JOBS = str(CORES + CORES // 2)  # Python's tests wait for half of their time
TIDY_SECONDS = "100"
PASSIVE = "OMP_WAIT_POLICY=passive"  # threads that spin take others' cores


def programs_of(preset: str) -> dict[str, tuple[Path, Path]]:
    """The programs of Google Test of a configured preset by the names that ctest has for them, and
    their results."""
    listed = json.loads(said_by(["ctest", "--preset", preset, "--show-only=json-v1"]) or "{}")
    found = {}
    for test in listed.get("tests", []):
        program, *arguments = test.get("command", [""])
        for argument in arguments:
            results = argument.removeprefix("--gtest_output=xml:")
            if results != argument:
                found[test["name"]] = Path(program), Path(results)
    return found


def relinked(programs: dict[str, tuple[Path, Path]]) -> list[str]:
    """The programs that have not passed since they were linked."""

    def passed(program: Path, results: Path) -> bool:
        if not (program.is_file() and results.is_file()):
            return False
        is_newer = results.stat().st_mtime >= program.stat().st_mtime
        return is_newer and from_junit(results).failed == 0

    return [name for name, (program, results) in programs.items() if not passed(program, results)]


def beside(files: list[str]) -> list[str]:
    """The Python tests that stand beside the files, or in the nearest folder above that has
    some."""
    found: set[Path] = set()
    for name in files:
        folders = [
            sorted((stages.ROOT / folder).glob("*_test.py")) for folder in Path(name).parents[:-1]
        ]
        found.update(next(filter(None, folders), []))
    return sorted(str(test.relative_to(stages.ROOT)) for test in found)


def ctest(name: str, preset: str, needs: str, only: list[str] | None = None) -> Stage:
    junit = LOGS / (name.replace(" ", "-") + ".xml")
    command = ["ctest", "--preset", preset, "--parallel", JOBS, "--output-junit", str(junit)]
    programs = programs_of(preset)
    if only is not None:
        programs = {each: programs[each] for each in only}
        command += ["--tests-regex", f"^({'|'.join(only)})$"]
    return Stage(
        name,
        [command],
        repeat=f"build/{preset}/bin/PROGRAM --gtest_filter=TEST",
        junit=junit,
        results={each: results for each, (_, results) in programs.items()},
        needs=needs,
        skip=lambda: "" if only != [] else "no test program was linked since it passed",
    )


def pytest(preset: str, tests: list[str] | None = None) -> Stage:
    programs = f"RIDGELINE_BUILD={ROOT / 'build' / preset / 'bin'}"  # tests start them
    junit = LOGS / "pytest.xml"
    command = ["env", programs, PASSIVE, TOOL["pytest"], "-n", WAITING_JOBS, "--dist", "worksteal"]
    return Stage(
        "pytest",
        [[*command, f"--junitxml={junit}", *(tests or [])]],
        repeat=f"{programs} .venv/bin/pytest -k NAME",
        junit=junit,
        needs="build",
        skip=lambda: "" if tests != [] else "no folder with Python tests has changed",
    )


def checks_of_text() -> list[Stage]:
    return [
        Stage("clang-format", [["ci/check_format"]]),
        Stage("layers", [[TOOL["python"], "ci/check_layers"]]),
        Stage("ruff", [[TOOL["ruff"], "check"], [TOOL["ruff"], "format", "--check"]]),
    ]


def built(preset: str) -> list[list[str]]:
    return [["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset]]


def whole(preset: str) -> Iterator[Stage]:
    build = stages.ROOT / "build" / preset
    accesses = [TOOL["python"], "ci/golden/compare_accesses", "--build", str(build)]

    def no_cuda() -> str:
        return "" if any(build.glob("CMakeFiles/*/CMakeCUDACompiler.cmake")) else "no CUDA compiler"

    def no_table() -> str:
        return no_cuda() or said_by([*accesses, "--why-not"])

    def check(name: str, *arguments: str) -> list[str]:
        return [TOOL["python"], f"ci/{name}", *arguments, "--build", str(build)]

    yield from checks_of_text()
    yield Stage("build", built(preset))
    yield ctest("ctest", preset, "build")
    yield pytest(preset)
    yield Stage(
        "kernel resources",
        [check("golden/kernel_resources", "--check")],
        needs="build",
        skip=no_cuda,
    )
    yield Stage("kernel accesses", [[*accesses, "--check"]], needs="build", skip=no_table)
    yield Stage("includes", [check("check_includes")], needs="build")
    yield Stage("clang-tidy", [check("check_tidy", "--seconds", TIDY_SECONDS)], needs="build")
    yield Stage("build asan", built("asan"), needs="build")
    yield ctest("ctest asan", "asan", "build asan")
    # After all builds: it reads what none of them has compiled.
    builds = [str(stages.ROOT / "build" / each) for each in (preset, "asan")]
    yield Stage("quickstart", [[TOOL["python"], "ci/check_quickstart", "--builds", *builds]])


def quick(preset: str) -> Iterator[Stage]:
    base = changed.default_base()
    files = changed.files_since(base) if base else []
    yield from checks_of_text()
    yield Stage("build", built(preset))
    yield ctest("ctest", preset, "build", relinked(programs_of(preset)))
    yield pytest(preset, beside(files))


if __name__ == "__main__":
    chosen = quick if "--quick" in sys.argv[1:] else whole
    sys.exit(stages.run(chosen("cpu-only" if "--cpu-only" in sys.argv[1:] else "release")))
