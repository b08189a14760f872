import pytest

from harness.python.cheats import BAD, CHEATS, HONEST, OF_THE_PROCESS
from harness.python.conversations import Conversation


def measured(kernels: dict[str, str], folder) -> dict[str, dict]:
    """What each comes to, all of them in one process."""
    texts = []
    for number, text in enumerate(kernels.values()):
        texts.append(text.replace("@rl.case(", f'@rl.case(variant="number{number}", '))
    file = folder / "kernels.py"
    file.write_text("\n".join(texts))
    with Conversation(file) as worker:
        assert worker.ask(request="hello", protocol=1)["reply"] == "hello"
        cases = worker.ask(request="list")["cases"]
        found = {case["variant"]: worker.measure(case) for case in cases}
    return {name: found[f"number{number}"] for number, name in enumerate(kernels)}


def test_whoever_cheats_is_told_how_it_was_seen(tmp_path):
    wanted = CHEATS | BAD
    found = measured({name: text for name, (_, text) in wanted.items()}, tmp_path)
    for name, (says, _) in wanted.items():
        assert found[name]["outcome"] == "wrong_result", (name, found[name])
        assert says in found[name]["reason"], (name, found[name]["reason"])
        assert found[name]["reason"].startswith("kernels.py:"), found[name]["reason"]
        assert not found[name].get("samples_ns"), name


def test_the_honest_are_not_accused(tmp_path):
    for name, found in measured(HONEST, tmp_path).items():
        assert found["outcome"] == "ok", (name, found)
        assert found["verification"]["error"] <= found["verification"]["tolerance"], name
        assert len(found["samples_ns"]) >= 1, name


@pytest.mark.parametrize("name", OF_THE_PROCESS)
def test_whoever_replaces_what_measures_is_told_what(name, tmp_path):
    says, text = OF_THE_PROCESS[name]
    file = tmp_path / "kernels.py"
    file.write_text(text)
    with Conversation(file) as worker:
        hello = worker.ask(request="hello", protocol=1)
        if hello["reply"] == "error":
            assert hello["exit_code"] == 64
            found = hello["message"]
        else:
            measurement = worker.measure(worker.ask(request="list")["cases"][0])
            assert measurement["outcome"] == "wrong_result"
            found = measurement["reason"]
    assert says in found
