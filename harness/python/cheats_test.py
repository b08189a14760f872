from harness.python.cheats import CHEATS
from harness.python.cheats_of_process import OF_THE_PROCESS
from harness.python.conversations import SAMPLING, Conversation, preparing, told
from harness.python.honest_kernels import BAD, HONEST
from harness.python.kernel_files import scale


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


def test_each_cheat_has_three_disguises():
    for kind, disguises in (CHEATS | OF_THE_PROCESS).items():
        assert len(disguises) >= 3, kind
    assert len(HONEST) >= 20


def test_whoever_cheats_is_told_how_it_was_seen(tmp_path):
    wanted = dict(BAD)
    for disguises in CHEATS.values():
        assert not wanted.keys() & disguises.keys()
        wanted |= disguises
    found = measured({name: text for name, (_, text) in wanted.items()}, tmp_path)
    for name, (says, _) in wanted.items():
        assert found[name]["outcome"] == "wrong_result", (name, found[name])
        reason = found[name]["reason"]
        assert any(one in reason for one in says.split("|")), (name, reason)
        assert found[name]["reason"].startswith("kernels.py:"), found[name]["reason"]
        assert not found[name].get("samples_ns"), name


def test_the_honest_are_not_accused(tmp_path):
    for name, found in measured(HONEST, tmp_path).items():
        assert found["outcome"] == "ok", (name, found)
        assert found["verification"]["error"] <= found["verification"]["tolerance"], name
        assert len(found["samples_ns"]) >= 1, name


def test_a_case_without_elements_is_no_case_to_verify(tmp_path):
    honest = scale("def launch(): return x * 2")
    nothing = {
        "no input": (honest.replace("[N]", "[0]"), "inputs that scale makes have no elements"),
        "no output": (
            scale("def launch(): return x[:0] * 2").replace("x.numpy() * 2", "x.numpy()[:0] * 2"),
            "the output and what is expected have no elements",
        ),
    }
    both = {"some of two outputs": scale("def launch(): return x * 2, x[:0].copy()")}
    both["some of two outputs"] = both["some of two outputs"].replace(
        "x.numpy() * 2", "(x.numpy() * 2, x.numpy()[:0])"
    )
    found = measured({name: text for name, (text, _) in nothing.items()} | both, tmp_path)
    for name, (_, says) in nothing.items():
        assert found[name]["outcome"] == "unsupported", (name, found[name])
        assert says in found[name]["reason"], (name, found[name])
        assert found[name]["reason"].startswith("kernels.py:"), found[name]
    assert found["some of two outputs"]["outcome"] == "ok", found


def test_what_one_case_replaces_is_no_fault_of_the_next(tmp_path):
    honest = scale("def launch(): return x * 2")
    replacing = {
        "numpy.abs": "np.abs = np.negative",
        "numpy.isfinite": "np.isfinite = None",
        "ridgeline.judging._equal": "np.array_equal.__wrapped__.__code__ = EQUAL.__code__",
        "ridgeline.comparison.isnan": "import ridgeline.comparison as c; c.isnan = bool",
        "ridgeline.dtypes.TOLERANCE": "import ridgeline.dtypes as d; d.TOLERANCE['f32'] = 1.0",
        "the function of sys.settrace": "import sys; sys.settrace(lambda *_: None)",
    }
    kernels = {}
    for name, line in replacing.items():
        kernels[name] = scale(f"def launch():\n    {line}\n    return x * 2").replace(
            "N =", "def EQUAL(a, b, equal_nan=False): return True\nN ="
        )
        kernels[f"after {name}"] = honest
    kernels["in its function, and raises"] = scale("np.abs = None\nraise ValueError")
    kernels["after one that raises"] = honest
    found = measured(kernels, tmp_path)
    for name, one in found.items():
        if name in replacing:
            assert one["outcome"] == "wrong_result", (name, one)
            assert f"has replaced {name}" in one["reason"], (name, one)
        elif name.startswith("after"):
            assert one["outcome"] == "ok", (name, one)


def test_whoever_replaces_what_measures_is_told_what(tmp_path):
    wanted = [each for kind in OF_THE_PROCESS.values() for each in kind.items()]
    files = [tmp_path / f"kernels{number}.py" for number in range(len(wanted))]
    for file, (_, (_, text)) in zip(files, wanted, strict=True):
        file.write_text(text)
    case = "scale/scale/f32/n=8192,cache=hot"
    hello = {"request": "hello", "protocol": 1}
    requests = [hello, preparing(case, {"cache": "hot"}), SAMPLING, {"request": "finish"}]
    for (disguise, (says, _)), answers in zip(wanted, told(requests, files), strict=True):
        found = answers[0]
        if found["reply"] == "error":
            assert found["exit_code"] == 64, (disguise, found)
            assert says in found["message"], (disguise, found)
            continue
        found = answers[1]
        if found["outcome"] == "ok":
            found = answers[3]["measurement"]
        assert found["outcome"] == "wrong_result", (disguise, found)
        assert says in found["reason"], (disguise, found)
