"""The batch scripts under a real Slurm, on the CPU."""

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from ci.templates.slurm_cluster import cluster
from harness.run.scripted_runs import BUILD, ROOT

HERE = Path(__file__).resolve().parent
COLLECTIVES = "collectives/mpi/f32/op=all_reduce,ranks=2,bytes=1024,mode=isolated,calls=1"
MEASURED = {"ok", "unstable", "invalid_environment"}


@pytest.fixture
def slurm(machine, profile):
    """A cluster that has the build under test; the profile has a case of two ranks, too."""
    if not (BUILD / "ridgeline-collectives").is_file():
        pytest.skip("built without MPI")
    if (os.cpu_count() or 1) < 2:
        pytest.skip("two ranks need two cores")
    profile.write_text(profile.read_text().replace("cases = [", f'cases = ["{COLLECTIVES}", '))
    root, node = machine / "root", machine / "node"
    root.mkdir()
    node.mkdir()
    (root / "bin").symlink_to(BUILD)
    (root / "ci").symlink_to(ROOT / "ci")
    with cluster(machine / "slurm") as one:
        one.shared = machine / "shared"
        one.ridgeline = root / "bin" / "ridgeline"
        one.environment |= {
            "RIDGELINE_ROOT": str(root),
            "RIDGELINE_HOME": str(ROOT),
            "RIDGELINE_RESULTS": str(one.shared),
            "RIDGELINE_DEVICE": "cpu",
            "RIDGELINE_PROFILE": str(profile),
            "TMPDIR": str(node),
            # Ranks that spin while they wait keep each other waiting where more runs than there are
            # cores.
            "OMPI_MCA_mpi_yield_when_idle": "1",
        }
        yield one
        assert list(node.iterdir()) == [], "nothing is left on the node"


def outcomes(results: Path) -> dict[str, str]:
    (database,) = results.glob("*.sqlite")
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return dict(
            connection.execute(
                'SELECT "case".name, outcome FROM measurement JOIN "case" ON "case".id = case_id'
            )
        )


def test_collectives_are_measured_by_ranks_that_slurm_starts(slurm):
    code, said = slurm.job(
        HERE / "slurm" / "collectives.sbatch",
        options=("--nodes=1", "--ntasks-per-node=2", "--gpus-per-node=0"),
        timeout=200,
        NCCL_NVLS_ENABLE="0",
    )
    assert code == 0, said
    found = outcomes(slurm.shared)
    assert found.keys() == {COLLECTIVES}
    assert set(found.values()) <= MEASURED
    shown = subprocess.run(
        [slurm.ridgeline, "show", "--json", "--results", slurm.shared],
        env=slurm.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    (hosts,) = json.loads(shown.stdout)["hosts"]
    assert (hosts["hosts"], hosts["host0.ranks"]) == ("1", "0-1")


def test_a_night_is_a_job_of_slurms(slurm):
    code, said = slurm.job(
        HERE / "slurm" / "nightly.sbatch",
        *("--unfit", "measure", "--launcher", "srun", "--ridgeline", slurm.ridgeline),
        *("--without", "report", "--without", "trend"),
        options=("--ntasks=2",),
        timeout=300,
    )
    assert code == 3, said  # there is no baseline
    found = outcomes(slurm.shared)
    assert len(found) == 3
    assert found[COLLECTIVES] in MEASURED
    (night,) = slurm.shared.glob("nightly/2*/night.json")
    assert "--launcher srun" in json.loads(night.read_text())["command"]


def test_more_ranks_than_the_job_has_tasks_are_refused(slurm):
    """The script expects as many as Slurm has given: one task measures nothing of two."""
    code, said = slurm.job(
        HERE / "slurm" / "collectives.sbatch",
        *("--", COLLECTIVES),
        options=("--nodes=1", "--ntasks-per-node=1", "--gpus-per-node=0"),
        timeout=200,
    )
    assert code == 64, said
    assert not slurm.shared.exists() or list(slurm.shared.glob("*.sqlite")) == []
