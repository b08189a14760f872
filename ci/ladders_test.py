"""Ladders name cases that exist, the profile measures them, and documents say what runs say."""

import json
import os
import re
import subprocess
import tomllib

import pytest

from harness.run.scripted_runs import BUILD, ROOT

LADDERS = tomllib.loads((ROOT / "suites/ladders.toml").read_text())["ladder"]
MEASURED = ("register_tiled", "openblas")
ENVIRONMENT = os.environ | {"RIDGELINE_HOME": str(ROOT)}
DOCUMENTS = {"README.md": "last rungs", "docs/ladders.md": "ladders"}


def names(ladder: dict) -> list[str]:
    entries = ladder["rungs"] + ladder.get("references", [])
    return [each if "/" in each else ladder["cases"].replace("*", each) for each in entries]


def listed(device: str, *words: str) -> set[str]:
    command = [BUILD / "ridgeline", "list", "--json", "--device", device, *words]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=ENVIRONMENT
    )
    if done.returncode == 69 or "there are no cases for device" in done.stderr:
        pytest.skip(done.stderr)  # of a build without them
    assert done.returncode == 0, done.stderr
    return {case["name"] for case in json.loads(done.stdout)["cases"]}


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
def test_every_rung_is_a_case_that_the_profiles_measure(device):
    wanted = {
        name
        for ladder in LADDERS
        if ladder["device"] == device.split(":")[0]
        for name in names(ladder)
    }
    assert wanted
    assert wanted - listed(device) == set()
    for profile in ("ladders", "full"):
        assert wanted - listed(device, "--profile", profile) == set()


def test_every_variant_of_a_family_with_a_ladder_stands_on_one():
    """A new rung of these suites has a place, or is said here to have none."""
    beside = {"cudnn", "cublaslt"}
    for suite in ("gemm", "attention", "attention_backward", "decode"):
        on_ladders = {
            name.split("/")[1]
            for ladder in LADDERS
            if ladder["device"] == "cuda"
            for name in names(ladder)
            if name.startswith(suite + "/")
        }
        of_suite = {name.split("/")[1] for name in listed("cuda:0", suite)}
        assert of_suite - on_ladders - beside == set()


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A run of two cases of the CPU's ladder."""
    folder = tmp_path_factory.mktemp("ladders")
    (ladder,) = (one for one in LADDERS if one["device"] == "cpu")
    cases = [ladder["cases"].replace("*", variant) for variant in MEASURED]
    done = subprocess.run(
        [BUILD / "ridgeline", "run", "--device", "cpu", "--profile", "smoke", *cases]
        + ["--processes", "3", "--results", folder / "results", "--budget", "60s"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=ENVIRONMENT | {"RIDGELINE_LOCKS": str(folder)},
    )
    assert done.returncode in (0, 2), done.stdout + done.stderr
    return folder / "results"


def write(results, root, *options: str) -> subprocess.CompletedProcess:
    command = [ROOT / "ci/ladders", "--build", BUILD, "--results", results, "--root", root]
    return subprocess.run(
        [*command, *options],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=ENVIRONMENT,
    )


def rows(page: str) -> dict[str, list[str]]:
    """The cells of each row of the tables whose first cell is code."""
    return {
        match[1]: [cell.strip() for cell in match[2].split("|")]
        for match in re.finditer(r"^\| `(.*?)` \| (.*) \|$", page, re.MULTILINE)
    }


@pytest.fixture
def documents(tmp_path):
    others = {"docs/how-to-predict.md": "bounds", "docs/claims.md": "claims"}
    for document, name in (DOCUMENTS | others).items():
        (tmp_path / document).parent.mkdir(exist_ok=True)
        text = f"before\n<!-- {name} begin -->\nold\n<!-- {name} end -->\nafter\n"
        if name == "ladders":
            text = "<!-- sums begin -->\n<!-- sums end -->\n" + text
        (tmp_path / document).write_text(text)
    return tmp_path


def test_documents_say_what_a_run_of_the_real_tool_measured(results, documents):
    stale = write(results, documents, "--check")
    assert (stale.returncode, stale.stderr) == (1, "")
    assert "docs/ladders.md is not what the published runs say" in stale.stdout
    written = write(results, documents)
    assert written.returncode == 0, written.stderr
    page = (documents / "docs/ladders.md").read_text()
    assert page.endswith("after\n") and "old" not in page
    assert "No published run says anything of this yet." in page.split("before")[0]
    table = rows(page.split("SM clock")[0])
    assert set(table) == {"naive", "loop_reordered", "cache_tiled", *MEASURED}
    assert table["naive"][:2] == ["", "not measured"]
    idea, rate, interval, before, *_ = table["register_tiled"]
    assert "vector registers" in idea and "FLOP/s" in rate and " to " in interval
    assert before == "", "the rung before has no time"
    readme = (documents / "README.md").read_text()
    assert rate.removesuffix(" ?") in readme and "of `openblas`" in readme
    assert write(results, documents, "--check").returncode == 0


def test_a_number_that_somebody_types_is_found(results, documents):
    assert write(results, documents).returncode == 0
    page = documents / "docs/ladders.md"
    page.write_text(page.read_text().replace("FLOP/s", "FLOP/s faster", 1))
    assert write(results, documents, "--check").returncode == 1


def test_a_document_without_its_place_is_an_error(results, documents):
    (documents / "README.md").write_text("nothing\n")
    done = write(results, documents)
    assert done.returncode == 74
    assert "README.md needs one line <!-- last rungs begin -->" in done.stderr


def test_the_documents_are_those_of_the_published_runs():
    done = write(ROOT / "results/published", ROOT, "--check")
    assert done.returncode == 0, done.stdout + done.stderr
