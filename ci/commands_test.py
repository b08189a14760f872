"""Every command that a document or a help page prints is run as it is printed, in a copy of this
tree.

Of a document these are the lines of its code blocks that start with one of PROGRAMS, and code
within its text that has arguments; of a help page its examples. A command passes when it is
understood and has what it needs; whether it then finds a regression or a noisy case does not matter
here.
"""

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from harness.run.scripted_runs import BUILD, ROOT

PROGRAMS = (
    r"(?:ridgeline(?:-\w+)?|(?:ci|build|\.venv)/\S+|c(?:make|pack|test)|cat|compare\.py|echo"
    r"|export(?= \w+=)|source(?= <))"
)
LINE = re.compile(rf"({PROGRAMS}(?: (?![ #])[!-~]+)*)(?=$|  | #)")
WITHIN_TEXT = re.compile(rf"(ridgeline \S+|(?!ridgeline ){PROGRAMS}) .+")
CASE = "gemm/naive/f32/m=128,n=128,k=128"

NOT_RUN = {  # pattern: the reason
    r"ci/(quickstart|setup|test|release)\b.*": "installs packages and builds for minutes",
    r"(cmake|cpack|ctest) .*|ci/check_portable .*": "builds for minutes, or needs such a build",
    r"\.venv/bin/pytest .*|build/release/bin/stats_test .*": "runs tests, of which this is one",
    r"ci/golden/.*": "compiles all kernels, with nvcc too",
    r"ci/check_(format|tidy) .*": "is a stage of `ci/test`, and here for all sources",
    r"ci/studies/(calibrate (?!--plan)|gate_study|draw_verdicts|fuzz(_python)? |faults( |$)"
    r"|against_vendor --for).*": (
        "measures or tries for minutes or hours, or shows what that has found"
    ),
    r"ci/studies/measured_pairs .*": "needs a study; pairs_test.py gives it one",
    r".* (--device ((cpu,)?cuda:0|all)|--counters)\b.*": "needs a GPU",
    r"ci/studies/sanitize(_corpus)? .*": "needs a GPU",
    r"ci/host_of_gpus .*": "needs two GPUs",
    r"ci/studies/same_collectives .*": "needs two GPUs, mpi4py or a quiet machine, for minutes",
    r"ci/studies/same_kernel( .*)?": "measures for a minute, and needs a GPU for one of its forms",
    r"ci/studies/container_recipe .*": "makes a Debian as root, and builds for minutes in it",
    r"compare\.py .*": "is a tool of Google Benchmark",
    r"ridgeline .*(build/mine|my_bench).*": (
        "needs programs of others; the tests in harness/outside build and start some"
    ),
    r"ridgeline import .*": "needs files of other programs; import_test.py gives it some",
    r"ridgeline collectives (fit|rows|choices|beside|layers|pairs)\b.*": (
        "needs runs of collectives; collectives_test.cpp and collective_pairs_test.cpp have some"
    ),
    r"ridgeline run --expect-ranks 8": "needs eight cores",
    r"ridgeline run .* --(hosts hosts|launcher srun)\b.*": (
        "needs several hosts or Slurm; several_hosts_test.py and slurm_jobs_test.py have them"
    ),
    r"ridgeline completion zsh .*": "is for zsh",
    r"ridgeline trend (acknowledge|expect|resolve|reopen)\b.*": (
        "answers to a change, of which two nights have none; trend_told_test.py answers to some"
    ),
    r"ridgeline trend siblings": "needs several GPUs; several_gpus_test.py plays some",
    r"cat .*/nightly/latest/.*": "needs the night that the lines above it measure",
    r"ridgeline (history|trend) docs/examples/scale\.py": (
        "needs what the line above it measures; own_kernels_test.py measures such a file"
    ),
}
STANDS_FOR = {  # in an example: here
    r"\bCASE\b": CASE,
    r"\bGATE\b": "latest",
    r"\bcheck (FILE|reverse_rows)\.cu": "check docs/examples/reverse_rows.cu",
    r"\bcheck mine\.cpp kernel\.cu": (
        "check docs/examples/own-suite/mine.cpp docs/examples/own-suite/kernel.cu"
    ),
    r"\bcheck saxpy\.cu": "check docs/examples/saxpy.cu",
    r"\bcheck main\.cu kernels\.cu -I include": "check docs/examples/saxpy.cu -I docs",
    r"-- --n 1000": "-- 1000",
    r"--cases 500 --nights 1800": "--cases 5 --nights 18",
    r"\bFOLDER\b": "results",
    r"--benchmark_filter=gemm": f"--benchmark_filter={CASE}",
    r"\blabel:\w+": "label:v1",
    r"--candidate-variant mine": "--candidate-variant naive",
    r" \.\.\. ": (
        " --baseline-worker old/ridgeline-suites --candidate-worker new/ridgeline-suites "
        "gemm/naive "
    ),
}


def printed(text: str, indent: int) -> list[str]:
    """The commands of a document or of a help page, whose code blocks are fenced or indented by so
    much."""
    found, fence = [], None
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        if line.lstrip().startswith("```"):
            fence = line.strip(" `") if fence is None else None
        elif fence in ("", "sh", "yaml") or (fence is None and line.startswith(" " * indent)):
            found += [match[1]] if (match := LINE.match(line.lstrip())) else []
        elif fence is None:
            found += filter(WITHIN_TEXT.fullmatch, re.findall(r"`([^`]+)`", line))
    return found


def help_pages() -> list[str]:
    def page(*command: str) -> str:
        return subprocess.run(
            [BUILD / "ridgeline", *command, "--help"], capture_output=True, text=True
        ).stdout

    if not (BUILD / "ridgeline").is_file():
        return []  # the clone says so
    named, examples = page().split("Subcommands:")[1].split("Examples:")
    return [examples] + [
        page(name).split("Examples:")[1] for name in re.findall(r"^  (\w+)", named, re.MULTILINE)
    ]


def here(command: str) -> str:
    """`command` with what stands for the names in examples, made to measure for a moment only."""
    for pattern, text in STANDS_FOR.items():
        command = re.sub(pattern, text, command)
    if command.startswith("ridgeline doctor"):
        return command.removesuffix(" --quick") + " --quick"  # noise has a test of its own
    if re.match(r"\S*ridgeline gate .*emulated", command):
        return command + " --profile smoke"
    if re.match(
        r"(?!.* --(baseline|help|resume)( |$))(\S*ridgeline (run|gate|bisect)|ci/nightly)\b",
        command,
    ):
        return re.sub(r" --budget \w+", "", command) + " --budget 1s"
    return command


DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = {command for path in DOCUMENTS for command in printed(path.read_text(), 4)}
COMMANDS |= {command for page in help_pages() for command in printed(page, 2)}
RUN = sorted(
    {
        here(command)
        for command in COMMANDS
        if not any(re.fullmatch(each, command) for each in NOT_RUN)
    }
)

MEASURE = (
    "ridgeline run --profile smoke --processes 3 gemm/naive gemm/register_tiled "
    "roofs/copy/f32/level=l1 attention"
)
# And when its runs began.
MODELS = {"nvidia-h100": "T1245", "nvidia-a100": "T1300", "nvidia-h200": "T1507"}
# Commits build in a moment: they have the workers of this build, of which the older ones differ in
# a text.
REPOSITORY = """
mkdir -p old new locks runners .config/fish/completions build/release build/quickstart
# on a busy machine, too
sed -i "s/^target = .*/target = 0.9/; s/^unstable = .*/unstable = 0.9/" suites/profiles/*.toml
ln -s $BUILD build/release/bin; ln -s $BUILD build/quickstart/bin
ln -s $VENV .venv; cp docs/examples/gate.toml .
for file in mine old; do cp docs/examples/scale.py $file.py; done
sed 's/x [*] 2,/2 * x,/' old.py > new.py
for worker in $(cd $BUILD && ls ridgeline-suites ridgeline-emulated 2>/dev/null); do
  cp $BUILD/$worker new/
  LC_ALL=C sed "s/Measures kernels/measures kernels/" new/$worker > old/$worker
  chmod +x old/$worker
done
git init --quiet --initial-branch=change
for side in old new; do
  echo "cmake_minimum_required(VERSION 3.25)
  project(synthetic LANGUAGES NONE)
  file(COPY $PWD/$side/ DESTINATION bin)
  add_custom_target(ridgeline-suites)" > CMakeLists.txt
  git add CMakeLists.txt CMakePresets.json
  git -c user.name=synthetic -c user.email=synthetic@localhost commit --quiet \\
    --message "Have the $side workers"
  [ $side = new ] || git update-ref refs/remotes/origin/main HEAD  # and there is no branch main
done
"""
RESULTS = """
ridgeline baseline set main h200@label:v1
ridgeline gate --profile smoke --baseline-worker old/ridgeline-suites \\
  --candidate-worker new/ridgeline-suites --budget 1s gemm/naive || [ $? -le 3 ]
for folder in old downloaded runner-1/results runner-2/results runners/1 measured; do
  mkdir -p $folder; cp results/*.sqlite $folder
done
for run in "sm_80 --label v0" "sm_90 --label v1"; do
  [ ! -x $BUILD/ridgeline-emulated ] || ridgeline run --results counted --device emulated:$run \\
    --profile smoke gemm/naive coalescing/transpose_tiled
done
"""


# Takes the last replicate from the runs that no gate measured.
_LAST = (
    "SELECT measurement.id FROM measurement JOIN process ON process.id = process_id"
    " JOIN run ON run.id = run_id WHERE gate = '' AND replicate = 2"
)
INTERRUPTION = (
    f"DELETE FROM metric WHERE measurement_id IN ({_LAST})",
    f"DELETE FROM measurement WHERE id IN ({_LAST})",
    "UPDATE run SET status = 'interrupted' WHERE gate = ''",
)


def change(database: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(statement)


class Clone:
    """A copy of this tree as a repository, with runs of four models, a baseline and an interrupted
    gate."""

    def __init__(self, folder: Path):
        self.folder = folder
        left_out = shutil.ignore_patterns(".*", "build", "build-*", "results", "__pycache__")
        shutil.copytree(ROOT, folder, ignore=left_out, dirs_exist_ok=True)
        self.do(f"{REPOSITORY}{MEASURE} --label v1; {MEASURE}")
        (measured,) = (folder / "results").glob("*.sqlite")
        for model, time in MODELS.items():
            shutil.copy(measured, copy := measured.with_name(f"{model}.sqlite"))
            name = f"'2026112' || (rowid - 1) || '{time}'"
            change(copy, f"UPDATE device SET model = '{model}'")
            for table in ("process", "roof"):
                change(
                    copy, f"UPDATE {table} SET run_id = (SELECT {name} FROM run WHERE id = run_id)"
                )
            change(copy, f"UPDATE run SET id = {name}")
        self.do(RESULTS)
        change(folder / "measured" / measured.name, "UPDATE gate SET status = 'interrupted'")

    def execute(self, commands: str) -> subprocess.CompletedProcess:
        paths = {
            "RIDGELINE_HOME": "",
            "RIDGELINE_LOCKS": "locks",
            "HOME": "",
            "BUILD": BUILD,
            "VENV": sys.prefix,
        }
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GIT_", "RIDGELINE_"))
        }
        environment |= {name: str(self.folder / path) for name, path in paths.items()}
        environment |= {"PATH": f"{BUILD}:{os.environ['PATH']}", "RIDGELINE_PYTHON": sys.executable}
        environment |= {
            "CUDA_VISIBLE_DEVICES": "",
            "OMP_WAIT_POLICY": "passive",
        }  # no GPU; and other tests run
        environment |= {"GITHUB_BASE_REF": "main", "GITHUB_STEP_SUMMARY": "summary.md"}
        return subprocess.run(
            ["bash", "-ec", commands],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def do(self, commands: str) -> None:
        done = self.execute(commands)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def clone(tmp_path_factory):
    for program in ("ridgeline", "ridgeline-suites"):
        assert (BUILD / program).is_file(), (
            f"{BUILD / program} is not built; build it, or set RIDGELINE_BUILD"
        )
    return Clone(tmp_path_factory.mktemp("clone"))


@pytest.mark.parametrize("command", RUN)
def test_a_printed_command_works(clone, command):
    counts = bool(re.search(r"emulated|ridgeline (check|predict)|--listing", command))
    if counts and not (BUILD / "ridgeline-emulated").is_file():
        pytest.skip("ridgeline-emulated is not built")
    shutil.rmtree(clone.folder / "results", ignore_errors=True)
    of_models = re.search(r"[ah][12]00|2026", command)  # drawing all of them takes long
    left_out = None if of_models else shutil.ignore_patterns("nvidia-*")
    shutil.copytree(
        clone.folder / ("counted" if counts else "measured"),
        clone.folder / "results",
        ignore=left_out,
    )
    if "--results results/published" in command:
        shutil.copytree(
            ROOT / "results" / "published",
            clone.folder / "results" / "published",
            dirs_exist_ok=True,
        )
    if "run --resume" in command:
        for database in (clone.folder / "results").glob("*.sqlite"):
            for statement in INTERRUPTION:
                change(database, statement)
    done = clone.execute(command)
    finds = re.match(
        r"(\S*ridgeline (doctor|run|gate|bisect|trend|compare|ladder)|ci/(nightly|preflight))\b",
        command,
    )
    assert done.returncode in ((0, 1, 2, 3) if finds else (0,)), done.stdout + done.stderr


def test_what_is_not_run_is_still_printed():
    assert [
        each for each in NOT_RUN if not any(re.fullmatch(each, command) for command in COMMANDS)
    ] == []
    assert [
        each for each in STANDS_FOR if not any(re.search(each, command) for command in COMMANDS)
    ] == []
