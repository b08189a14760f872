"""What a command that builds commits, which takes minutes, says before it builds the first."""

import fcntl
import json
import signal

import pytest

from harness.cli.bisect_test import repository  # noqa: F401
from harness.run.kill_test import finish
from harness.run.scripted_runs import case


def gate(repository, *arguments, device="fake", **options):  # noqa: F811
    lab = repository.lab
    sides = ("--baseline-ref", "HEAD~1", "--candidate-ref", "HEAD")
    results = () if "--results" in arguments else ("--results", lab.results)
    profile = () if "--profile" in arguments else ("--profile", lab.profile("constant"))
    command = lab.command("gate", *sides, "--device", device, *profile, *results, *arguments)
    return lab.execute(command, cwd=repository.folder, text=True, **options)


def is_unbuilt(repository):  # noqa: F811
    return not (repository.folder / "build").exists()


@pytest.mark.parametrize(
    ("device", "arguments", "code", "message"),
    [
        ("cpu,cpu", [], 64, "--device cpu,cpu: cpu is named twice"),
        ("cpu,,fake", [], 64, "--device cpu,,fake: a name between commas is empty"),
        (",", [], 64, "a name between commas is empty"),
        ("cpu,emulated:sm_90", [], 64, "emulated:sm_90 gives counts, which share nothing"),
        ("emulated:sm_90", ["--delta", "1%"], 64, "--delta is for times, and emulated:sm_90"),
        ("cpu:1", [], 64, "there is no device cpu:1 here"),
        ("cuda:700", [], 64, "there is no device cuda:700 here"),
        ("fake", ["--profile", "quik"], 64, 'there is no profile "quik"'),
        ("fake", ["--seed", "-1"], 64, "--seed -1 is not a whole number"),
        ("fake", ["--budget", "soon"], 64, "--budget soon is not a duration"),
        ("fake", ["--config", "missing.toml"], 64, "missing.toml"),
        ("fake", ["--delta", "much"], 64, "--delta much is not a share"),
        ("fake", ["--results", "build.sh/results"], 74, "cannot write build.sh/results: Not a dir"),
        ("fake", ["--junit", "missing/gate.xml"], 74, "cannot write missing/gate.xml"),
        ("fake", ["--candidate-ref", "nothing"], 64, 'there is no commit "nothing"'),
        ("fake", ["--candidate-ref", "HEAD~1"], 64, "are the same commit"),
    ],
)
def test_what_is_known_before_is_said_before(repository, device, arguments, code, message):  # noqa: F811
    repository.commits(1, slower_from=0)
    done = gate(repository, *arguments, device=device)
    assert (done.returncode, message in done.stderr) == (code, True), done.stderr
    assert is_unbuilt(repository)
    assert not repository.lab.results.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--device", "cuda:700"], 64, "there is no device cuda:700 here"),
        (["--device", "h100"], 64, "there is no device h100 here"),
        (["--device", "nonsense:0"], 64, "there is no device nonsense:0 here"),
        (["--profile", "quik"], 64, 'there is no profile "quik"'),
        (["--seed", "-1"], 64, "--seed -1 is not a whole number"),
        (["--results", "build.sh"], 74, "cannot write build.sh: Not a directory"),
    ],
)
def test_a_search_says_it_before_too(repository, arguments, code, message):  # noqa: F811
    repository.commits(1, slower_from=0)
    command = repository.lab.command(
        "bisect", case("constant"), "--good", "HEAD~1", "--bad", "HEAD", *arguments
    )
    done = repository.lab.execute(command, cwd=repository.folder, text=True)
    assert (done.returncode, message in done.stderr) == (code, True), done.stderr
    assert is_unbuilt(repository)


@pytest.fixture
def held(lab):
    """Holds every device that this build sees, as another run would."""
    listed = lab.execute(lab.command("devices", "--json"), text=True)
    files = []
    for device in json.loads(listed.stdout)["devices"]:
        file = (lab.folder / f"ridgeline-{device['uuid'].replace('/', '_')}.lock").open("w")
        file.write("pid 1, synthetic run")
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        files.append(file)
    yield
    for file in files:
        file.close()


def test_a_device_that_is_in_use_and_not_waited_for_is_said_before(held, repository):  # noqa: F811
    repository.commits(1, slower_from=0)
    bisect = repository.lab.command(
        *("bisect", case("constant"), "--good", "HEAD~1", "--bad", "HEAD", "--device", "cpu")
    )
    for done in (
        gate(repository, "--no-wait", device="cpu"),
        repository.lab.execute([*bisect, "--no-wait"], cwd=repository.folder, text=True),
    ):
        assert done.returncode == 69
        assert "device cpu is in use by pid 1, synthetic run" in done.stderr
        assert is_unbuilt(repository)


def test_which_device_is_taken_without_a_name_the_commits_decide(held, repository):  # noqa: F811
    repository.commits(1, slower_from=0)
    lab = repository.lab
    command = lab.command(
        *("gate", "--baseline-ref", "HEAD~1", "--candidate-ref", "HEAD", "--no-wait", "--json"),
        *("--profile", lab.profile("constant"), "--results", lab.results),
    )
    done = lab.execute(command, cwd=repository.folder, text=True)
    told = done.stderr.split("building commit")[0]
    assert "in use by pid 1, synthetic run; without --device, this build measures on it" in told
    # The device of the commits has times from a script, and must be named.
    assert (done.returncode, "--device fake" in done.stderr.split("\n", 3)[-1]) == (69, True)


def test_a_commit_that_cannot_be_built_keeps_the_other_from_being_built(repository):  # noqa: F811
    repository.commit("Begin")
    (repository.folder / "CMakePresets.json").unlink()
    repository.commit("Know no presets")
    done = gate(repository)
    assert done.returncode == 69
    assert "(Know no presets) cannot be built: it has no CMakePresets.json" in done.stderr
    assert is_unbuilt(repository)


def test_what_the_commits_alone_know_is_told_and_not_refused(repository):  # noqa: F811
    """The scripted worker's cases are none of this build's."""
    repository.commits(1, slower_from=0)
    done = gate(repository, "scripted/constant", "--json")
    told = done.stderr.split("building commit")[0]
    assert 'no case matches "scripted/constant", as far as this build knows' in told
    assert "there is no device fake here, as far as this build knows" in told
    assert json.loads(done.stdout)["gate"]["mode"] == "refs"
    # Nor when there is nothing to build.
    assert "as far as this build knows" not in gate(repository, "scripted/constant").stderr


def test_a_gate_of_other_commits_is_not_resumed_and_they_are_not_built(repository):  # noqa: F811
    lab = repository.lab
    repository.commits(2, slower_from=0)
    words = ("--baseline-ref", "HEAD~2", "--candidate-ref", "HEAD~1", "--results", lab.results)
    process = lab.start_command(
        lab.command("gate", *words, "--device", "fake", "--profile", lab.profile("slow")),
        env=lab.environment,
        cwd=repository.folder,
    )
    lab.wait_for_pairs(1)
    process.send_signal(signal.SIGINT)
    finish(process)
    other = repository.git("rev-parse", "HEAD")
    resumed = lab.execute(
        lab.command("gate", "--resume", "latest", *words[:2], "--candidate-ref", other, *words[4:]),
        cwd=repository.folder,
        text=True,
    )
    assert resumed.returncode == 64
    assert "the candidate is another commit" in resumed.stderr
    assert not (repository.folder / "build" / "commits" / other).exists()
