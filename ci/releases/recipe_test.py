"""The recipe of the image is read as an engine reads it, and what is not known is refused."""

from pathlib import Path

import pytest

from ci.releases.recipe import Mount, Unreadable, expanded, stages

RECIPE = (Path(__file__).parent.parent / "Containerfile").read_text()


def test_our_recipe_is_read_whole():
    build, image = stages(RECIPE, {"BASE": "debian:12"})
    assert (build.name, image.base) == ("build", "debian:12")
    assert "nvidia/cuda" in stages(RECIPE, {})[1].base
    named = [step.name for stage in (build, image) for step in stage.steps]
    assert named == [
        *("SHELL", "RUN", "RUN", "WORKDIR", "RUN"),
        *("SHELL", "RUN", "RUN", "ENV", "VOLUME", "WORKDIR", "ENTRYPOINT", "CMD"),
    ]
    packages, clone = build.steps[1:3]
    assert packages.value.startswith("apt-get update && apt-get install ")
    assert clone.mounts == [Mount("/context")]
    assert image.steps[2].mounts == [Mount("/dist", "/ridgeline/dist", "build")]
    assert image.steps[2].value.startswith("python3 -m venv /opt/ridgeline && ")
    assert image.steps[-1].value == ["run"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("FROM a\nCOPY . /x", "line 2: COPY is not known"),
        ("FROM a\n# why\n\nRUN --network=none true", "line 4: RUN --network is not known"),
        ("FROM a\nRUN --mount=type=cache,target=/c true", "only --mount=type=bind"),
        ("FROM a\nRUN --mount=type=bind,target=/c,rw=1 true", "'rw', which is not known"),
        ("FROM a\nRUN --mount=type=bind,from=b,target=/c true", "no stage is called b"),
        ("FROM a\nCMD run", "CMD takes a JSON list of words, not 'run'"),
        ("FROM a\nARG X=1", "ARG within a stage is not known"),
        ("FROM a\nRUN true \\", "line 2: the last instruction has no end"),
        ("RUN true", "RUN stands before the first FROM"),
        ("FROM ${X}", "FROM '${X}' is not known"),
        ("# nothing", "there is no FROM"),
    ],
)
def test_what_is_not_known_is_refused_with_its_line(text, said):
    with pytest.raises(Unreadable) as refused:
        stages(text, {})
    assert said in str(refused.value)


def test_an_argument_that_no_arg_has_is_refused():
    with pytest.raises(Unreadable, match="no ARG is called BSAE"):
        stages(RECIPE, {"BSAE": "debian:12"})


def test_names_stand_for_their_values():
    assert expanded("/opt/bin:$PATH${X}$Y", {"PATH": "/bin", "X": "x"}) == "/opt/bin:/binx"
