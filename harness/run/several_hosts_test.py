"""Collectives whose ranks are on two hosts: network namespaces with names and addresses of their
own, under the real mpirun, over TCP."""

import json
import shutil
import time

import pytest

from harness.run import spoiled_ranks
from harness.run.namespaces import ADDRESSES, two_hosts
from harness.run.scripted_runs import Lab

CASE_S = 15
CASE = "collectives/mpi/f32/op={},ranks=2,bytes=1024,mode=isolated,calls=1"
# The second host loses its network in the middle of an operation. Once: its rank may get on when
# the network is back, and is not to cut off the ranks of the next case.
MPI = """
int PMPI_Alltoall(const void*, int, void*, void*, int, void*, void*);
int MPI_Alltoall(const void* sent, int count, void* of, void* received, int room, void* as,
                 void* ranks) {
  static int times = 0;
  if (misbehaves() && times++ == 0 && system("ip link set eth0 down") != 0) abort();
  return PMPI_Alltoall(sent, count, of, received, room, as, ranks);
}
"""
# Rank 1 stops, hangs, or computes for longer than a rank may do nothing. Of a scatter and a
# broadcast rank 0 has the data, so that it goes on to where it waits for rank 1.
MISBEHAVES = (
    spoiled_ranks.STOPS_AND_HANGS
    + """
#include <time.h>
int PMPI_Bcast(void*, int, void*, int, void*);
int MPI_Bcast(void* data, int count, void* of, int root, void* ranks) {
  extern char ompi_mpi_byte[];  // of what ranks tell each other between operations
  static int times = 0;
  const time_t until = time(NULL) + 12;
  if (misbehaves() && of != ompi_mpi_byte && times++ == 0)
    while (time(NULL) < until) continue;
  return PMPI_Bcast(data, count, of, root, ranks);
}
"""
)
LONG_S = 100  # after which each of these would be found without beats
# With which all_to_all is neither the first nor the last of three cases.
SEED = 6
AWAY_SEED = 6  # with which the broadcast, whose rank is only slow, comes last


class FirstHost(Lab):
    """Whose programs run on the first of two hosts."""

    def __init__(self, lab, hosts):
        super().__init__(lab.folder)
        self.hosts = hosts
        self.environment["OMPI_MCA_plm_rsh_agent"] = str(hosts.agent)

    def command(self, *arguments: object) -> list[str]:
        return self.hosts.on_first(super().command(*arguments))


@pytest.fixture
def first_host(lab):
    if not spoiled_ranks.WORKER.is_file():
        pytest.skip("built without MPI")
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun not found")
    with two_hosts(lab.folder) as hosts:
        yield FirstHost(lab, hosts)


def wait_for_quiet(hosts) -> None:
    deadline = time.monotonic() + 120
    while (running := hosts.processes()) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert running == []


def test_ranks_of_two_hosts_measure_together_and_say_where_they_are(first_host):
    hosts = first_host.hosts
    first_host.environment |= {"NCCL_NVLS_ENABLE": "0", "A_SECRET": "1"}
    seen = first_host.folder / "seen"
    cases = [CASE.format("all_reduce")]
    before = f'env >{seen}-"$OMPI_COMM_WORLD_RANK"'
    done = spoiled_ranks.run(
        first_host, "cpu", cases, CASE_S, SEED, before, "--hosts", hosts.hostfile
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (first_host.database,) = first_host.results.glob("*.sqlite")
    assert [rows[-1][0] in spoiled_ranks.MEASURED for rows in first_host.outcomes().values()] == [
        True
    ]
    shown = first_host.call("show", "--json", "--results", first_host.results, text=True)
    (told,) = json.loads(shown.stdout)["hosts"]
    assert told["hosts"] == "2"
    for number, (name, address) in enumerate(
        zip((hosts.first, hosts.second), ADDRESSES, strict=True)
    ):
        assert told[f"host{number}"] == name
        assert told[f"host{number}.ranks"] == str(number)
        assert told[f"host{number}.links"].startswith(f"eth0 {address}")
    text = first_host.call("show", "--results", first_host.results, text=True).stdout
    assert f"host        {hosts.second} (ranks 1): eth0 {ADDRESSES[1]}" in text
    variables = (first_host.folder / "seen-1").read_text().splitlines()
    assert "NCCL_NVLS_ENABLE=0" in variables
    assert not [line for line in variables if line.startswith("A_SECRET")]
    wait_for_quiet(hosts)
    assert not list((first_host.folder / "second").iterdir()), "nothing is left there"


def silent(host: str) -> str:
    return f"^killed while preparing: rank 1 on {host} has not been heard of for 5 s, and others "


def test_a_rank_of_another_host_that_stops_or_hangs_ends_its_case_before_its_time(first_host):
    hosts = first_host.hosts
    library = spoiled_ranks.library(first_host.folder, "away.so", MISBEHAVES)
    cases = [CASE.format(op) for op in ("send_recv", "scatter", "broadcast")]
    done = spoiled_ranks.run(
        *(first_host, "cpu", cases, LONG_S, AWAY_SEED, f"export LD_PRELOAD={library}"),
        *("--hosts", hosts.hostfile),
    )
    hangs = f"^killed while preparing: rank 1 on {hosts.second} has done nothing for 5 s, while "
    faults = {"send_recv": silent(hosts.second), "scatter": hangs}
    spoiled_ranks.check(
        first_host, done, {CASE.format(op): ("timeout", why) for op, why in faults.items()}
    )
    assert "ridgeline-rank" not in done.stdout + done.stderr
    wait_for_quiet(hosts)
    assert not list((first_host.folder / "second").iterdir()), "nothing is left there"


def test_a_case_that_loses_the_network_ends_in_its_time_and_the_next_is_measured(first_host):
    hosts = first_host.hosts
    cases = [CASE.format(op) for op in ("all_reduce", "all_to_all", "broadcast")]
    before = f"export LD_PRELOAD={spoiled_ranks.library(first_host.folder, 'cut.so', MPI)}"
    done = spoiled_ranks.run(
        first_host, "cpu", cases, CASE_S, SEED, before, "--hosts", hosts.hostfile
    )
    spoiled_ranks.check(
        first_host, done, {CASE.format("all_to_all"): ("timeout", silent(hosts.second))}
    )
    assert next(iter(first_host.outcomes())) != CASE.format("all_to_all")
    wait_for_quiet(hosts)
    assert not list((first_host.folder / "second").iterdir()), "nothing is left there"


def test_a_host_that_stays_lost_ends_its_ranks_by_itself(first_host):
    hosts = first_host.hosts
    hosts.mends = False
    before = f"export LD_PRELOAD={spoiled_ranks.library(first_host.folder, 'cut.so', MPI)}"
    cases = [CASE.format("all_to_all")]
    done = spoiled_ranks.run(
        first_host, "cpu", cases, CASE_S, SEED, before, "--hosts", hosts.hostfile
    )
    assert done.returncode == 2, done.stdout + done.stderr
    (first_host.database,) = first_host.results.glob("*.sqlite")
    assert [rows[-1][0] for rows in first_host.outcomes().values()] == ["timeout"]
    assert hosts.processes() != [], "nobody could reach them"
    wait_for_quiet(hosts)
