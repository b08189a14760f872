"""Nights and preflights among others who mean no good: what they name themselves, what they answer,
and what they left on the disk."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ci.night.nightly_test import QUICK, Runner, steps
from harness.run.scripted_runs import BUILD, ROOT

# Line ends, commands to GitHub, escapes, a C1 control, marks of direction, markup, half a letter.
EVIL = "\n::error::x\r\x1b[31m\x9b1m\u202e\u2028##[error]`|<img src=x>\udc9b"
FORBIDDEN = "\x1b\r\x9b\u202e\u2028"


@pytest.fixture
def runner(lab):
    return Runner(lab)


def is_harmless(text: str) -> bool:
    """Whether neither a terminal nor GitHub's runner obeys any of it."""
    lines = text.split("\n")
    return (
        not any(letter in text for letter in FORBIDDEN)
        and not any(line.lstrip().startswith("::") for line in lines)
        and "##[" not in text
    )


def ours_left_out(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if " title=" not in line[:20])


def stands_for_ridgeline(runner, answers: dict[str, object]) -> str:
    """The real program, except that it answers these commands so, with words of its own."""
    folder = runner.lab.folder / "stand-in"
    folder.mkdir(exist_ok=True)
    cases = ""
    for number, (command, answer) in enumerate(answers.items()):
        text = answer if isinstance(answer, str) else json.dumps(answer)
        (folder / str(number)).write_text(text)
        cases += f'  "{command} "*) cat {folder / str(number)}; printf "$SAID" >&2; exit 0;;\n'
    program = folder / "ridgeline"
    said = EVIL.encode(errors="surrogateescape")
    program.write_bytes(
        b'#!/bin/sh\nSAID=\'%s\'\ncase "$* " in\n%sesac\nexec %s "$@"\n'
        % (said.replace(b"%", b"%%"), cases.encode(), str(BUILD / "ridgeline").encode())
    )
    program.chmod(0o755)
    return str(program)


@contextlib.contextmanager
def busy_process(name: bytes):
    """A process of that name that keeps a processor busy."""
    code = "import ctypes, sys\nctypes.CDLL(None).prctl(15, bytes.fromhex(sys.argv[1]))\n"
    code += "print('', flush=True)\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", code, name.hex()], stdout=subprocess.PIPE)
    process.stdout.readline()
    try:
        yield
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("name", [b"\n::error::x", b"\x1b[31m\xc2\x9b1m\xff", b"\n##[error]x"])
def test_the_name_of_a_process_is_text(runner, name):
    with busy_process(name):
        preflight = [str(ROOT / "ci" / "preflight"), "--ridgeline", str(BUILD / "ridgeline")]
        done = runner.lab.execute([*preflight, "--device", "cpu"])
        told = runner.lab.execute([*preflight, "--device", "cpu", "--json"])
    assert (done.returncode, told.returncode) == (3, 3), done.stderr
    assert is_harmless(done.stdout.decode() + done.stderr.decode())
    assert is_harmless(told.stdout.decode())
    found = json.loads(told.stdout)["preflight"][0]["findings"][0]["seen"]
    assert name.decode(errors="replace").strip() in found, "a program is told the name as it is"


def device(**others: object) -> dict:
    return {
        **{"id": f"cpu{EVIL}", "kind": "emulated", "name": EVIL, "uuid": EVIL, "model": EVIL},
        **{"recorded": {"host": EVIL}},
        **others,
    }


def run_of(label: str, **others: object) -> dict:
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
    return {
        **{"id": f"-x{EVIL}", "started": started, "status": "finished", "label": label},
        **{"model": f"m{EVIL}", "device_uuid": EVIL, "measurements": 1, "outcomes": {EVIL: 1}},
        **others,
    }


def test_what_ridgeline_names_stays_text_wherever_it_is_shown(runner, tmp_path):
    """The names of devices, models, runs, labels, cases and reasons."""
    label = f"label{EVIL}"
    case = {"case": EVIL, "outcome": EVIL, "reason": EVIL}
    verdict = {"case": EVIL, "verdict": EVIL, "reason": EVIL, "ratio": None, "fails": True}
    answers = {
        "devices": {"devices": [device()]},
        "run": {"cases": [case]},
        "baseline list": {"baselines": [{"name": "main", "model": f"m{EVIL}"}]},
        "gate": {"gate": {"id": EVIL}, "verdicts": [verdict]},
        "export": "",
        "trend": EVIL.encode(errors="replace").decode(),
    }
    program = stands_for_ridgeline(runner, answers)
    runs = Path(program).parent / "runs.json"
    runs.write_text(json.dumps({"runs": []}))
    # Before the run there is none, and afterwards one.
    text = Path(program).read_bytes()
    again = f'  "runs "*) cat {runs}; cp {runs}.after {runs}; exit 0;;\n'
    Path(f"{runs}.after").write_text(json.dumps({"runs": [run_of(label)]}))
    text = text.replace(b'case "$* " in\n', b'case "$* " in\n' + again.encode())
    Path(program).write_bytes(text)
    runner.lab.results.mkdir()
    (runner.lab.results / "x.sqlite").touch()
    page = tmp_path / "page.md"
    command = [program if "/ridgeline" in part else part for part in runner.command()]
    at = command.index("fake")
    command[at] = device()["id"]
    command += ["--github", "--label", label, "--without", "report", "--", EVIL]
    # The run is of the future by two seconds, so that it is not older than its step.
    Path(program).write_bytes(text.replace(b'  "run "*) cat', b'  "run "*) sleep 3; cat'))
    done = runner.lab.execute(
        command,
        env={**runner.lab.environment, "GITHUB_STEP_SUMMARY": str(page), "SAID": EVIL.strip("\0")},
    )
    said = (done.stdout + done.stderr).decode()
    night = runner.latest()
    assert steps(night)["export"][0] == "done", said
    assert night["problems"][0]["case"].startswith("\n::error::x"), "programs are told it as it is"
    assert is_harmless(ours_left_out(said)), said
    folder = (runner.nights / "latest").resolve()
    for name in ("log.txt", "summary.md"):
        assert is_harmless((folder / name).read_text()), name
    shown = page.read_text()
    assert is_harmless(shown)
    outside_of_fences = "".join(shown.split("```")[::2])
    assert "<img" not in outside_of_fences


def test_lines_of_a_step_are_no_commands_and_a_gates_annotations_are(lab):
    from ci.night import github
    from ci.night.log import Log

    class Heard(Log):
        def __init__(self):
            super().__init__()
            self.commands, self.quotes = [], []

        def command(self, line):
            self.commands.append(line)

        def quote(self, line):
            self.quotes.append(line)

    heard = Heard()
    say = github.annotating(heard)
    for line in ("::error title=a::b", "::add-mask::x", "::stop-commands::x", "::error::x", "x"):
        say(line)
    assert heard.commands == ["::error title=a::b"]
    assert len(heard.quotes) == 4


@pytest.mark.parametrize(
    "record",
    ["", "{", "[]", '{"format": "ridgeline-nightly", "version": 1}', '{"steps": 7}', "\x00", None],
)
def test_a_damaged_record_is_set_aside_and_the_night_goes_on(runner, record):
    folder = runner.nights / "20261121T020000Z-000001"
    folder.mkdir(parents=True)
    if record is None:  # of a night that was killed, with keys that are odd
        command = ("--without", "preflight", "--without", "run", "--without", "export")
        runner.night(*QUICK, *command)
        (first,) = (path for path in runner.nights.glob("2*/night.json"))
        night = json.loads(first.read_text())
        night["state"], night["options"] = "running", {"label": 7}
        first.write_text(json.dumps(night))
        folder = first.parent
    else:
        (folder / "night.json").write_text(record)
    code, said, errors = runner.night(*QUICK)
    assert code == 3, said + errors
    assert "Traceback" not in said + errors
    assert "night.json.damaged" in said
    assert "night.json.damaged" in runner.summary().replace("&#95;", "_")
    assert (folder / "night.json.damaged").exists()
    assert "json.damaged" not in runner.night(*QUICK)[1]


@pytest.mark.parametrize("command", ["devices", "runs", "run", "baseline list", "gate"])
@pytest.mark.parametrize(
    "answer", ["", "{", "[]", '{"%s": 7}', '{"%s": [7]}', '{"%s": [{}]}', "[" * 100_000]
)
def test_an_odd_answer_is_a_clear_message(runner, command, answer):
    key = {"run": "cases", "baseline list": "baselines", "gate": "verdicts"}.get(command, command)
    program = stands_for_ridgeline(runner, {command: answer.replace("%s", key)})
    arguments = [program if part == str(BUILD / "ridgeline") else part for part in runner.command()]
    if command == "gate":
        runner.night(*QUICK, "--without", "export")
        named = ("baseline", "set", "main", "latest", "--results", runner.lab.results)
        assert runner.lab.call(*named).returncode == 0
    done = runner.lab.execute([*arguments, *QUICK, "--without", "export"], text=True)
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    assert "Error:" not in said, said
    silent = answer == "" and command in ("run", "gate")  # then there is no document at all
    expected = 69 if command == "devices" else 3 if silent else 70
    assert done.returncode == expected or (silent and done.returncode in (0, 3, 74)), said
    if not silent:
        words = "something else than devices" if command == "devices" else "cannot be understood"
        assert words in said


@pytest.mark.parametrize("kind", ["fifo", "folder", "device", "missing"])
def test_a_job_summary_that_is_no_file_is_said_and_not_waited_for(runner, tmp_path, kind):
    page = tmp_path / "page"
    if kind == "fifo":
        os.mkfifo(page)
    elif kind == "folder":
        page.mkdir()
    page = {"device": Path("/dev/zero"), "missing": page / "no" / "such"}.get(kind, page)
    without = [word for step in ("preflight", "run") for word in ("--without", step)]
    environment = {"GITHUB_STEP_SUMMARY": str(page)}
    code, said, errors = runner.night(*QUICK, *without, "--github", environment=environment)
    assert "cannot be written" in said, said + errors
    assert runner.latest()["state"] == "finished"
    assert "Traceback" not in errors
    assert code == 0


def test_a_fifo_that_somebody_reads_is_no_job_summary_either(runner, tmp_path):
    os.mkfifo(tmp_path / "page")
    reader = os.open(tmp_path / "page", os.O_RDONLY | os.O_NONBLOCK)
    without = [word for step in ("preflight", "run") for word in ("--without", step)]
    environment = {"GITHUB_STEP_SUMMARY": str(tmp_path / "page")}
    _, said, _ = runner.night(*QUICK, *without, "--github", environment=environment)
    os.close(reader)
    assert "it is no regular file" in said


def test_a_lock_that_is_no_file_is_refused(runner):
    runner.nights.mkdir(parents=True)
    os.mkfifo(runner.nights / "lock")
    code, _, errors = runner.night(*QUICK)
    assert (code, "no regular file" in errors) == (74, True), errors


def test_a_lock_with_bytes_that_are_no_text_still_names_somebody(runner):
    import fcntl

    runner.nights.mkdir(parents=True)
    with (runner.nights / "lock").open("wb") as held:
        held.write(b"\xff\xfe\x9b{")
        held.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
        code, _, errors = runner.night(*QUICK)
    assert (code, "only just started" in errors) == (69, True), errors


NAMES = [b"-x", b"no \xff utf-8", "c1 \x9b and \u202e".encode(), b"line\n::error::x"]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_folder_of_any_name_can_be_worked_in_and_named(lab, name):
    here = lab.folder / os.fsdecode(name)
    here.mkdir()
    for results in ("results", os.fsdecode(name)):
        command = Runner(lab).command(*QUICK)
        at = command.index("--results")
        command[at : at + 2] = [f"--results={results}"]
        done = lab.execute(command, cwd=here)
        said = (done.stdout + done.stderr).decode()
        assert "Traceback" not in said
        assert is_harmless(said)
        (night,) = (here / results / "nightly").glob("2*/night.json")
        assert json.loads(night.read_text())["state"] == "finished"
        for text in (night.parent / "summary.md", night.parent / "log.txt"):
            assert is_harmless(text.read_text())
        if b"\xff" in os.fsencode(results):
            assert (done.returncode, "argument 3 is not UTF-8" in said) == (64, True), said
        else:
            assert done.returncode == 3, said
            assert (night.parent / "run.jsonl").is_file()
        preflight = [ROOT / "ci" / "preflight", "--ridgeline", BUILD / "ridgeline"]
        done = lab.execute([*preflight, "--device", "emulated:sm_90", command[at]], cwd=here)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}])
def test_no_escapes_are_written(runner, environment):
    for arguments in (("--help",), ("--bogus",), QUICK):
        code, said, errors = runner.night(*arguments, environment=environment)
        assert "\x1b" not in said + errors


def test_a_mistake_of_ours_is_70_and_one_line(runner, tmp_path):
    """In a copy whose steps and whose beginning raise what nobody foresaw."""
    copy = tmp_path / "copy"
    for name in ("ci/night", "reports"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "ci" / "nightly", copy / "ci")
    shutil.copy(ROOT / "ci" / "preflight", copy / "ci")
    broken = "raise KeyError('::error::x')\n"
    with (copy / "ci" / "night" / "preflight.py").open("a") as file:
        file.write(f"\n\ndef look_at(*_):\n    {broken}")
    named = ["--ridgeline", str(BUILD / "ridgeline"), "--results", str(runner.lab.results)]
    done = runner.lab.execute([copy / "ci" / "preflight", "--device", "cpu", *named], text=True)
    assert done.returncode == 70, done.stderr
    assert len(done.stderr.splitlines()) == 1
    command = [copy / "ci" / "nightly", *runner.command(*QUICK)[1:]]
    done = runner.lab.execute(command, text=True)
    assert done.returncode == 70, done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert "Traceback" in (runner.nights / "latest" / "log.txt").read_text()
    with (copy / "ci" / "night" / "record.py").open("a") as file:
        file.write(f"\n\ndef unfinished(*_):\n    {broken}")
    done = runner.lab.execute(command, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (70, False), done.stderr
    (copy / "ci" / "night" / "record.py").unlink()
    done = runner.lab.execute(command, text=True)
    assert (done.returncode, "not complete" in done.stderr) == (69, True), done.stderr


FOUND = {"check": EVIL, "level": "unfit", "seen": EVIL, "source": EVIL, "why": EVIL, "do": EVIL}


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_what_the_doctor_names_stays_text(runner, arguments):
    """Names of GPUs, their processes and states, which it tells programs as they are."""
    fine = {**FOUND, "level": "fine"}
    answers = {"devices": {"devices": [device()]}, "doctor": {"findings": [FOUND, fine]}}
    program = stands_for_ridgeline(runner, answers)
    command = [ROOT / "ci" / "preflight", "--ridgeline", program, *arguments]
    done = runner.lab.execute(command)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 3, said
    assert "error::x" in said
    assert is_harmless(said)


@pytest.mark.parametrize(
    "answer", ["", "1, 2, 3", '{"findings": [{"level": "odd"}]}', '{"findings": 3}']
)
def test_an_odd_doctor_is_no_fit_machine(runner, answer):
    program = stands_for_ridgeline(runner, {"devices": {"devices": [device()]}, "doctor": answer})
    done = runner.lab.execute([ROOT / "ci" / "preflight", "--ridgeline", program], text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (69, False), done.stderr
    assert "doctor --json printed something else" in done.stderr
