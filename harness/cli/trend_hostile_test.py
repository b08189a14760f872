"""ridgeline trend on results files that nobody should have made: it says what is wrong, in a line
that names the file, or goes on without it; it neither crashes nor waits."""

import datetime
import json
import os
import random
import shutil

import pytest

from ci.studies import nights_file
from harness.cli.trend_test import trend

MODEL = "synthetic-nights"
CASE = "copy/wide/f32/n=64"
FIRST = datetime.date(2026, 7, 1)
DAMAGED = "the file is damaged or was changed by another program; restore it from a backup"


def at_two(night):
    return f"{FIRST + datetime.timedelta(days=night)}T02:00:00Z"


def write(folder, starts=None, nights=30, cases=2, slower=2):
    """Nights on whose last two all cases are `slower` times as slow."""
    file = nights_file.create(folder / f"{MODEL}.sqlite")
    for night in range(nights):
        when = starts[night] if starts else at_two(night)
        add_night(file, night, when, cases, slower if night >= nights - 2 else 1)
    file.commit()
    return file


def add_night(file, night, when, cases, slow):
    run = nights_file.add_run(
        *(file, MODEL, when, {"memory": "16"}, {}),
        **{"number": night, "commit_hash": f"{night:040}", "code_hash": f"{night:08}"},
    )
    process = nights_file.add(file, "process", replicate=0, **run)
    ids = [nights_file.add_case(file, number) for number in range(cases)]
    times = [(one, slow * (1000.0 + night * 7 % 5)) for one in ids]
    nights_file.add_times(file, process, times)


def damage(file, statement, *values):
    """As only another program can."""
    file.execute("PRAGMA ignore_check_constraints = ON")
    file.execute("PRAGMA foreign_keys = OFF")
    assert file.execute(statement, values).rowcount > 0
    file.commit()
    file.close()


def said(folder, *arguments):
    """Of a trend that ends as it may end: exit code, output, errors."""
    done = trend(folder, *arguments)
    assert done.returncode in (0, 1, 2, 3, 64, 74), (done.returncode, done.stderr)
    if done.returncode in (64, 74):
        assert done.stderr.startswith("ridgeline: ") and done.stderr.count("\n") <= 2, done.stderr
    return done.returncode, done.stdout, done.stderr


def device(folder, *arguments):
    (only,) = json.loads(trend(folder, "--json", *arguments).stdout)["devices"]
    return only


@pytest.mark.parametrize("process", [False, True])
def test_a_night_without_any_case_is_no_fine_night(tmp_path, process):
    file = nights_file.create(tmp_path / f"{MODEL}.sqlite")
    run = nights_file.add_run(
        file, MODEL, at_two(0), {}, {}, number=1, commit_hash="a", code_hash="b"
    )
    if process:
        nights_file.add(file, "process", replicate=0, **run)
    file.commit()
    code, out, _ = said(tmp_path, "--fail-on-new")
    assert code == 3
    assert "odd: 1 run measured nothing\n" in out
    assert out.endswith("\nthe last night: nothing was measured\n")
    assert device(tmp_path)["doubtful"]


def test_a_run_without_a_case_is_said(tmp_path):
    file = write(tmp_path)
    nights_file.add_run(
        file, MODEL, at_two(30), {"memory": "16"}, {}, number=99, commit_hash="a", code_hash="b"
    )
    file.commit()
    _, out, _ = said(tmp_path)
    assert "31 nights" in out and "odd: 1 run measured nothing\n" in out
    assert "measured nothing" not in said(tmp_path, CASE)[1], "of one case nobody can tell"


def test_a_long_and_odd_name_is_shown_in_part_and_whole_in_json(tmp_path):
    suite = "x" * 10240 + "\x1b[31m\n\u202e"
    name = suite + "/wide/f32/n=64"
    damage(write(tmp_path), 'UPDATE "case" SET suite = ?, name = ? WHERE id = 1', suite, name)
    code, out, _ = said(tmp_path, "--fail-on-new")
    assert code == 1 and "\x1b" not in out and "\u202e" not in out
    assert any(line.endswith("xxx...") and len(line) < 600 for line in out.splitlines())
    assert name in [one.get("case") for one in device(tmp_path)["findings"]]
    assert said(tmp_path, "told")[0] == 0


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "must hold median_ns exactly when it holds samples"),  # what NaN is stored as
        (9e999, "has no number as median_ns"),
        (-1.0, "has -1 as median_ns"),
        (0.0, "has 0 as median_ns"),
        (1e-320, "has 1e-320 as median_ns"),
        (1e308, "has 1e+308 as median_ns"),
    ],
)
@pytest.mark.parametrize("arguments", [(), ("--json", "--series"), ("--fail-on-new",)])
def test_a_time_that_is_none_is_refused(tmp_path, value, words, arguments):
    damage(write(tmp_path), "UPDATE measurement SET median_ns = ? WHERE id = 17", value)
    code, out, errors = said(tmp_path, *arguments)
    assert (code, out) == (74, "")
    assert f"measurement 17 of {tmp_path / MODEL}.sqlite {words}" in errors and DAMAGED in errors


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE run SET started = '2026-02-30T25:00:00Z' WHERE rowid = 3", "which is no time"),
        ("UPDATE run SET device_id = 99 WHERE rowid = 3", "has no text as uuid"),
        (
            "UPDATE run SET environment_id = 99 WHERE rowid = 3",
            "an environment that does not exist",
        ),
        ("UPDATE process SET build_id = 99 WHERE id = 3", "has no text as worker"),
        ("UPDATE measurement SET case_id = 99 WHERE id = 3", "measured a case that does not exist"),
        ("UPDATE \"case\" SET name = '' WHERE id = 1", "has a name that its fields do not make"),
        (
            "UPDATE \"case\" SET name = 'copy/wide/f32/n=65' WHERE id = 1",
            "has a name that its fields do not make",
        ),
        ("UPDATE device SET model = '<b>'", "has a device model '<b>' that cannot name a results"),
        ("UPDATE environment SET comparable = '[1'", "has no JSON object as comparable"),
        ("UPDATE device SET kind = 'quantum'", "has 'quantum' as kind"),
    ],
)
def test_what_points_nowhere_or_is_no_value_is_refused(tmp_path, statement, words):
    damage(write(tmp_path), statement)
    code, out, errors = said(tmp_path)
    assert (code, out) == (74, "")
    assert words in errors and f"{MODEL}.sqlite" in errors and DAMAGED in errors


TOLD = (
    "INSERT INTO told VALUES ('a0b1', '', 'device synthetic-0000', 'nightly', ?, 'step',"
    " 'regression', '', ?, ?, ?, 2, 1, '2026-07-29', '2026-07-30T03:00:00Z', 'told',"
    " '2026-07-30T03:00:00Z', '', '')"
)


@pytest.mark.parametrize(
    "nights",
    [
        ("2026-99-99", "2026-99-99", "2026-99-99"),
        ("2026-07-29", "2026-99-99", "2026-07-29"),
        ("2026-08-29", "2026-07-29", "2026-06-29"),
    ],
)
def test_what_was_told_of_no_nights_is_refused(tmp_path, nights):
    damage(write(tmp_path), TOLD, CASE, *nights)
    code, out, errors = said(tmp_path, "--fail-on-new")
    assert (code, out) == (74, "")
    assert f"told a0b1 of {tmp_path / MODEL}.sqlite is of no nights: {nights[1]}" in errors


def test_many_runs_in_one_second_are_one_night(tmp_path):
    write(tmp_path, nights=3000, starts=[at_two(0)] * 3000, cases=1)
    only = device(tmp_path)
    assert (only["nights"], only["too_short"], only["findings"]) == (1, 1, [])


def test_years_that_no_clock_has_are_left_out_or_said(tmp_path):
    usual = [at_two(night) for night in range(1, 29)]
    write(tmp_path, starts=["0001-01-01T00:10:00Z", *usual, "9999-12-31T23:50:00Z"])
    only = device(tmp_path, "--until", "9999-12-31")
    assert (only["nights"], only["first"]) == (28, "2026-07-02")
    assert sorted(only["other_runs"].values()) == [1, 1]


def test_the_last_day_of_all_and_the_first_have_dates(tmp_path):
    last = [f"9999-12-{day:02}T00:10:00Z" for day in range(3, 32)] + ["9999-12-31T23:50:00Z"]
    write(tmp_path / "last", starts=last)
    assert device(tmp_path / "last")["last"] == "9999-12-31"
    assert said(tmp_path / "last", "--fail-on-new")[0] in (0, 1), "it can be remembered"
    write(tmp_path / "first", starts=[f"0000-01-{day:02}T23:50:00Z" for day in range(1, 31)])
    only = device(tmp_path / "first")
    assert (only["first"], only["last"]) == ("0000-01-01", "0000-01-30")
    assert said(tmp_path / "first", "--fail-on-new")[0] == 1


def test_a_copy_beside_its_file_is_said(tmp_path):
    write(tmp_path).close()
    shutil.copy(tmp_path / f"{MODEL}.sqlite", tmp_path / "nvidia-h200.sqlite")
    code, out, _ = said(tmp_path)
    assert code == 0
    assert "odd: nvidia-h200.sqlite has nights of this device, too: is it a copy?\n" in out
    assert f"odd: {MODEL}.sqlite has nights of this device, too: is it a copy?\n" in out


def test_many_copies_are_said_in_one_line(tmp_path):
    write(tmp_path).close()
    for number in range(5):
        shutil.copy(tmp_path / f"{MODEL}.sqlite", tmp_path / f"copy-{number}.sqlite")
    _, out, _ = said(tmp_path)
    assert out.count("are they copies?\n") == 6
    first = "copy-0.sqlite, copy-1.sqlite, copy-2.sqlite and 2 more have nights of this device"
    assert f"odd: {first}, too: are they copies?\n" in out


def test_devices_of_two_models_in_one_file_stay_two(tmp_path):
    file = write(tmp_path)
    (trigger,) = file.execute("SELECT sql FROM sqlite_master WHERE name = 'device_of_one_model'")
    file.execute("DROP TRIGGER device_of_one_model")
    file.execute(
        "INSERT INTO device (uuid, local_id, kind, model, name, pci_id, properties, comparable,"
        " recorded) VALUES ('other', 'cuda:0', 'cuda', 'nvidia-x', 'x', '', '{}', '{}', '{}')"
    )
    file.execute(trigger[0])
    damage(file, "UPDATE run SET device_id = 2 WHERE rowid % 2")
    devices = json.loads(trend(tmp_path, "--json").stdout)["devices"]
    assert [(one["device_uuid"], one["nights"]) for one in devices] == [
        ("other", 15),
        ("synthetic-0000", 15),
    ]


@pytest.mark.parametrize("devices", [2, 3])
def test_runners_that_get_another_device_each_night_are_told_how_to_join(tmp_path, devices):
    file = write(tmp_path, nights=devices)
    columns = "local_id, kind, model, name, pci_id, properties, comparable, recorded"
    for night in range(devices):
        file.execute(
            f"INSERT INTO device (uuid, {columns}) SELECT 'n{night}', {columns} FROM device LIMIT 1"
        )
        file.execute(
            "UPDATE run SET device_id = last_insert_rowid() WHERE started = ?", [at_two(night)]
        )
    file.commit()
    words = f"{devices} devices of {MODEL} have fewer than 5 nights each"
    code, _, errors = said(tmp_path)
    assert code == 0
    assert (words in errors) == (devices == 3), errors
    assert "--label pool" in errors or devices == 2
    assert words not in said(tmp_path, "--by-model")[2]


def test_what_is_no_file_is_left_out(tmp_path):
    write(tmp_path).close()
    os.mkfifo(tmp_path / "fifo.sqlite")
    (tmp_path / "folder.sqlite").mkdir()
    (tmp_path / "loop.sqlite").symlink_to("loop.sqlite")
    done = trend(tmp_path)
    assert done.returncode == 0 and done.stderr.count("left out: cannot open") == 3
    assert "loop.sqlite: Too many levels of symbolic links\n" in done.stderr
    assert "30 nights" in done.stdout


def test_a_job_that_cannot_see_a_device_is_not_green(tmp_path):
    write(tmp_path, slower=1).close()
    assert said(tmp_path, "--fail-on-new")[0] == 0
    (tmp_path / "h200.sqlite").write_bytes(b"x" * 5000)
    done = trend(tmp_path, "--fail-on-new", "--json")
    shown = json.loads(done.stdout)
    why = f"cannot open {tmp_path}/h200.sqlite: it is not a database"
    assert (done.returncode, shown["exit_code"], shown["left_out"]) == (74, 74, [why])
    assert shown["devices"][0]["nights"] == 30
    assert f"left out: {why}\n  choose another results folder, or move that file" in done.stderr
    assert trend(tmp_path).returncode == 0, "that only looks"
    (tmp_path / "h200.sqlite").unlink()
    assert said(tmp_path, "--fail-on-new")[0] == 0
    assert json.loads(trend(tmp_path, "--json").stdout)["left_out"] == []


def test_what_is_new_beside_a_file_that_is_left_out_is_told_once(tmp_path):
    file = write(tmp_path)
    (tmp_path / "h200.sqlite").write_bytes(b"x" * 5000)
    done = trend(tmp_path, "--fail-on-new")
    assert done.returncode == 74 and ", new\n" in done.stdout
    assert "what was told of the others stays told" in done.stderr
    assert trend(tmp_path, "told").stdout.count("regression") == 2
    add_night(file, 30, at_two(30), cases=2, slow=2)
    file.commit()
    done = trend(tmp_path, "--fail-on-new")
    assert done.returncode == 74 and ", new\n" not in done.stdout
    (tmp_path / "h200.sqlite").unlink()
    assert said(tmp_path, "--fail-on-new")[0] == 0


@pytest.mark.parametrize(
    ("device", "damaged", "code", "told"),
    [
        ("synthetic-0000", "h200", 1, True),  # the whole UUID
        ("synthetic-00", "h200", 74, True),  # may be of another device, too
        ("synthetic:0", "h200", 74, True),
        ("nights", "h200", 1, True),
        ("nights", "synthetic-nights-2", 74, True),
        ("h200", "h200", 74, False),
    ],
)
def test_of_a_device_only_files_that_may_hold_it_matter(tmp_path, device, damaged, code, told):
    write(tmp_path).close()
    (tmp_path / f"{damaged}.sqlite").write_bytes(b"x" * 5000)
    done = trend(tmp_path, "--fail-on-new", "--device", device)
    assert (done.returncode, ", new\n" in done.stdout) == (code, told), done.stderr
    assert (f"{damaged}.sqlite" in done.stderr) == (code == 74)
    assert ("nothing was told yet" in trend(tmp_path, "told").stdout) != told


def test_a_copy_does_not_stand_for_a_damaged_file(tmp_path):
    write(tmp_path).close()
    shutil.move(tmp_path / f"{MODEL}.sqlite", tmp_path / "copy.sqlite")
    (tmp_path / f"{MODEL}.sqlite").write_bytes(b"x" * 5000)
    for device in ("synthetic-0000", "nights"):
        assert trend(tmp_path, "--fail-on-new", "--device", device).returncode == 74


@pytest.mark.parametrize(
    ("statement", "values", "words"),
    [
        ("UPDATE measurement SET case_id = 99 WHERE id = 3", (), "a case that does not exist"),
        (TOLD, (CASE, *["2026-99-99"] * 3), "is of no nights"),
    ],
)
def test_a_file_that_is_damaged_anywhere_is_left_out(tmp_path, statement, values, words):
    write(tmp_path).close()
    (tmp_path / "other").mkdir()
    damage(write(tmp_path / "other"), statement, *values)
    shutil.move(tmp_path / "other" / f"{MODEL}.sqlite", tmp_path / "other.sqlite")
    done = trend(tmp_path, "--fail-on-new", "--json")
    shown = json.loads(done.stdout)
    assert (done.returncode, len(shown["devices"]), len(shown["left_out"])) == (74, 1, 1)
    assert words in shown["left_out"][0] and "other.sqlite" in shown["left_out"][0]


def test_what_no_folder_and_no_night_end_with(tmp_path):
    for folder in (tmp_path, tmp_path / "none"):
        assert said(folder)[0] == said(folder, "--fail-on-new")[0] == 74
    nights_file.create(tmp_path / f"{MODEL}.sqlite").close()
    assert said(tmp_path)[0] == said(tmp_path, "--fail-on-new")[0] == 3


def test_a_locked_file_is_said_to_be_locked(tmp_path):
    """A log lets readers in; another program may still lock everybody out."""
    file = write(tmp_path)
    file.execute("PRAGMA journal_mode = DELETE")
    file.isolation_level = None
    file.execute("BEGIN EXCLUSIVE")
    code, out, errors = said(tmp_path)
    file.close()
    assert (code, out) == (74, "")
    assert "another process has had it locked for 10 s\n  wait for the other process" in errors


def test_a_damaged_file_is_said_whatever_is_asked(tmp_path):
    """Bytes are changed at random: what is not noticed is told, what is noticed is said."""
    write(tmp_path / "whole", nights=20).close()
    whole = (tmp_path / "whole" / f"{MODEL}.sqlite").read_bytes()
    draw = random.Random(1)
    asked = [(), ("--json", "--series"), ("--fail-on-new",), ("told",), ("--until", "2026-07-09")]
    refused = 0
    for number in range(60):
        folder = tmp_path / str(number)
        folder.mkdir()
        made = bytearray(whole[: len(whole) // 2] if number == 0 else whole)
        for _ in range(draw.choice((1, 10, 100))):
            made[draw.randrange(100, len(made))] = draw.randrange(256)
        (folder / f"{MODEL}.sqlite").write_bytes(made)
        code, _, errors = said(folder, *asked[number % len(asked)])
        refused += code == 74
        assert code != 74 or f"{MODEL}.sqlite" in errors
    assert refused > 10


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--until", ""], 64, "--until: it is empty"),
        (["--until", "9999-99-99"], 64, "--until 9999-99-99 is not a date"),
        (["--until", "2026-07-14T00:00:00Z"], 64, "is not a date"),
        (["--until", "\x1b[31m"], 64, "--until \\x1b[31m is not a date"),
        (["--until", "x" * 100_000], 64, "xxx... is not a date"),
        (["--until", "2026-06-15"], 3, "no night is stored until 2026-06-15: "),
        (["--until", "0000-01-01"], 3, "no night is stored until 0000-01-01: "),
        (["--since", "2026-07-29", "--until", "2026-07-28"], 64, "--until lies before --since"),
        (["--since", "9999-12-31"], 64, "no run has started since 9999-12-31"),
        (["--nights", "99999999999"], 64, "--nights cannot be 99999999999"),
        (["--step", "nan"], 64, "--step is a percentage above 0"),
        (["--step", "0"], 64, "at 0 there is no change so small"),
        (["--step", "1e308"], 64, "5 is 5%"),
        (["--series"], 64, "--series goes with --json"),
        (["--no-record"], 64, "--no-record goes with --fail-on-new"),
        (["--device", "x" * 100_000], 64, "no stored device is meant by 'xxx"),
    ],
)
def test_what_is_asked_amiss_is_said(tmp_path, arguments, code, words):
    write(tmp_path).close()
    done = trend(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr and len(done.stderr) < 1000
