"""A wheel of the build under test, in an empty virtual environment: everything is found from there,
and nothing in this clone."""

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from ci.releases import wheel
from ci.templates.conftest import PROFILE
from harness.run.scripted_runs import BUILD

WHEN = (2026, 1, 1, 0, 0, 0)


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """What `cmake --install` makes of the build."""
    script = BUILD.parent / "cmake_install.cmake"
    if not script.is_file():
        pytest.skip(f"{BUILD.parent} is no build folder, so nothing can be installed from it")
    folder = tmp_path_factory.mktemp("tree")
    facts = {"CMAKE_INSTALL_PREFIX": folder, "CMAKE_INSTALL_DO_STRIP": 1}
    done = subprocess.run(
        ["cmake", *(f"-D{name}={value}" for name, value in facts.items()), "-P", script],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{BUILD.parent} is not built as a whole:\n{done.stderr}"
    return folder


class Environment:
    """A virtual environment with the wheel, and what the report is drawn with as it is here."""

    def __init__(self, folder: Path, made: Path):
        self.folder, self.work = folder / "environment", folder / "work"
        self.work.mkdir()
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.folder], check=True)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        pip += ["--python", self.folder / "bin" / "python", "install", "--quiet"]
        subprocess.run([*pip, "--no-index", "--no-deps", "--no-compile", made], check=True)
        # In place of what pip would fetch.
        (packages,) = self.folder.glob("lib/python*/site-packages")
        (packages / "here.pth").write_text(sysconfig.get_path("purelib") + "\n")
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("RIDGELINE_", "PYTHON"))
        }
        self.environment |= {
            "PATH": f"{self.folder}/bin:/usr/bin:/bin",
            "HOME": str(self.work),
            "RIDGELINE_LOCKS": str(self.work),
            "CUDA_VISIBLE_DEVICES": "",
            "OMP_WAIT_POLICY": "passive",
        }

    def ridgeline(self, *arguments: str, codes=(0,)) -> str:
        done = subprocess.run(
            [self.folder / "bin" / "ridgeline", *arguments],
            cwd=self.work,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode in codes, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def environment(tree, tmp_path_factory) -> Environment:
    folder = tmp_path_factory.mktemp("wheel")
    return Environment(folder, wheel.make(tree, folder, "linux_x86_64", {}, WHEN))


def test_everything_works_from_the_wheel_alone(environment, tree):
    version, *facts = environment.ridgeline("--version").splitlines()
    found = dict(line.split(maxsplit=1) for line in facts)
    assert version == f"ridgeline {wheel.version_in(Path(__file__).resolve().parents[2])}"
    assert found["profiles"] == f"{environment.folder}/share/ridgeline/suites/profiles"
    assert found["Python"] == f"{environment.folder}/bin/python3"
    assert "ridgeline-suites" in found["workers"]

    (environment.work / "two-cases.toml").write_text(PROFILE)
    measure = ("run", "--device", "cpu", "--profile", "two-cases.toml")
    for _ in range(2):
        environment.ridgeline(*measure, "--quiet")
    runs = json.loads(environment.ridgeline("runs", "--json"))
    assert len(runs["runs"]) == 2
    environment.ridgeline("compare", "latest", runs["runs"][1]["id"])
    environment.ridgeline("trend")
    # The worker of this wheel against that of another one, in which a text differs.
    worker, other = environment.folder / "bin" / "ridgeline-suites", environment.work / "other"
    other.write_bytes(worker.read_bytes().replace(b"Measures kernels", b"measures kernels"))
    other.chmod(0o755)
    gate = ("gate", "--baseline-worker", str(worker), "--candidate-worker", str(other))
    gate += ("--budget", "2s", "--profile", "two-cases.toml", "--device", "cpu")
    environment.ridgeline(*gate, codes=(0, 1, 2, 3))
    environment.ridgeline("report", "--formats", "csv")
    report = environment.work / "results" / "report"
    assert (report / "index.html").is_file()
    assert any("cache_tiled" in page.read_text() for page in report.glob("*.html"))

    if (tree / "lib" / "ridgeline" / "check.json").is_file():  # the build has CUDA's headers
        saxpy = Path(__file__).resolve().parents[2] / "docs" / "examples" / "saxpy.cu"
        assert "saxpy" in environment.ridgeline("check", str(saxpy))

    # Kernels of one's own are served by the package in the wheel.
    mine = environment.work / "mine.py"
    mine.write_text((Path(__file__).resolve().parents[2] / "docs/examples/scale.py").read_text())
    assert "scale" in environment.ridgeline("list", "mine.py")


def test_the_same_tree_makes_the_same_wheel(tmp_path):
    texts = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        small = tmp_path / name / "tree"
        for part in ("bin", "suites", "reports"):
            (small / part).mkdir(parents=True)
        (small / "bin" / "ridgeline").write_text("a program")
        (small / "bin" / "ridgeline-collectives").write_text("left out")
        (small / "bin" / "mpirun").write_text("no program of ours")
        (small / "lib" / "ridgeline").mkdir(parents=True)
        (small / "lib" / "ridgeline" / "check.json").write_text("{}")
        tool = small / "lib" / "ridgeline" / "compile_kernels"
        tool.write_text("a program that programs start")
        tool.chmod(0o755)
        assert wheel.tools_of(small) == [tool]
        package = small / "harness" / "python" / "ridgeline"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text('__version__ = "1.2.3"\n')
        made = wheel.make(small, tmp_path / name, "manylinux_2_36_x86_64", {"A": "text"}, WHEN)
        texts.append(made.read_bytes())
    assert made.name == "ridgeline-1.2.3-py3-none-manylinux_2_36_x86_64.whl"
    assert texts[0] == texts[1]
    with zipfile.ZipFile(made) as opened:
        names = opened.namelist()
        program = opened.getinfo("ridgeline-1.2.3.data/scripts/ridgeline")
        kit = "ridgeline-1.2.3.data/data/share/ridgeline/lib/ridgeline"
        tool, text = (opened.getinfo(f"{kit}/{each}") for each in ("compile_kernels", "check.json"))
    assert not [name for name in names if "collectives" in name or "mpirun" in name]
    modes = [each.external_attr >> 16 for each in (program, tool, text)]
    assert modes == [0o100755, 0o100755, 0o100644]
    assert "ridgeline-1.2.3.dist-info/A" in names
