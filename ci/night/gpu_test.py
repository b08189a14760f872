"""What nvidia-smi says of a GPU, and what preflight makes of it. The answers of a healthy GPU are
those of an H100."""

import os
import textwrap

import pytest

from ci.night import gpu
from ci.night.finding import NOTE, UNFIT, UNKNOWN, Preflight

HEALTHY = {
    "name": "NVIDIA H100 80GB HBM3",
    "driver_version": "580.159.04",
    "clocks_throttle_reasons.active": "0x0000000000000001",
    "utilization.gpu": "0",
    "memory.used": "0",
    "temperature.gpu": "33",
    "temperature.gpu.tlimit": "54",
    "power.limit": "700.00",
    "power.default_limit": "700.00",
    "enforced.power.limit": "700.00",
    "clocks.max.sm": "1980",
    "clocks.applications.graphics": "1980",
    "clocks.default_applications.graphics": "1980",
    "ecc.mode.current": "Enabled",
    "ecc.mode.pending": "Enabled",
    "ecc.errors.uncorrected.volatile.total": "0",
    "ecc.errors.corrected.volatile.total": "0",
    "retired_pages.pending": "[N/A]",
    "remapped_rows.pending": "No",
    "remapped_rows.failure": "No",
    "gpu_recovery_action": "None",
    "persistence_mode": "Enabled",
    "compute_mode": "Default",
    "mig.mode.current": "Disabled",
    "mig.mode.pending": "Disabled",
    "pcie.link.width.current": "16",
    "pcie.link.width.max": "16",
}


def judged(neighbours=(), **changed):
    facts = {name: value for name, value in HEALTHY.items() if value != "[N/A]"}
    facts.update({name.replace("__", "."): value for name, value in changed.items()})
    facts = {name: value for name, value in facts.items() if value is not None}
    preflight = Preflight("cuda:0")
    gpu.judge(facts, list(neighbours), preflight)
    return [(finding.check, finding.level) for finding in preflight.findings]


def test_a_healthy_gpu_at_rest_gives_no_finding():
    assert judged() == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"clocks_throttle_reasons__active": "0x0000000000000008"}, [("throttling", UNFIT)]),
        ({"clocks_throttle_reasons__active": "0x0000000000000020"}, [("throttling", UNFIT)]),
        ({"clocks_throttle_reasons__active": "0x0000000000000041"}, [("throttling", UNFIT)]),
        ({"clocks_throttle_reasons__active": "0x0000000000000081"}, [("throttling", UNFIT)]),
        ({"clocks_throttle_reasons__active": "0x0000000000000004"}, [("clocks", NOTE)]),
        ({"clocks_throttle_reasons__active": "0x0000000000000010"}, [("clocks", NOTE)]),
        ({"clocks_throttle_reasons__active": "gibberish"}, []),
        ({"clocks__applications__graphics": "1410"}, [("clocks", NOTE)]),
        ({"utilization__gpu": "4"}, []),
        ({"utilization__gpu": "5"}, [("other processes", UNFIT)]),
        ({"memory__used": "1024"}, []),
        ({"memory__used": "1025"}, [("other processes", UNFIT)]),
        ({"temperature__gpu__tlimit": "11"}, []),
        ({"temperature__gpu__tlimit": "10"}, [("temperature", UNFIT)]),
        ({"temperature__gpu": "74", "temperature__gpu__tlimit": None}, []),
        ({"temperature__gpu": "75", "temperature__gpu__tlimit": None}, [("temperature", UNFIT)]),
        ({"power__limit": "500.00", "enforced__power__limit": "500.00"}, [("power limit", NOTE)]),
        ({"enforced__power__limit": "350.00"}, [("power limit", UNFIT)]),
        ({"power__limit": None, "enforced__power__limit": None}, []),
        ({"ecc__errors__uncorrected__volatile__total": "1"}, [("ECC errors", UNFIT)]),
        ({"ecc__errors__corrected__volatile__total": "9"}, [("ECC errors", NOTE)]),
        ({"retired_pages__pending": "Yes"}, [("GPU memory", UNFIT)]),
        ({"remapped_rows__pending": "Yes"}, [("GPU memory", UNFIT)]),
        ({"remapped_rows__failure": "Yes"}, [("GPU memory", UNFIT)]),
        ({"gpu_recovery_action": "Reset"}, [("GPU state", UNFIT)]),
        ({"ecc__mode__pending": "Disabled"}, [("ECC", NOTE)]),
        ({"ecc__mode__current": "Disabled", "ecc__mode__pending": "Disabled"}, [("ECC", NOTE)]),
        ({"mig__mode__current": "Enabled", "mig__mode__pending": "Enabled"}, [("MIG", NOTE)]),
        ({"persistence_mode": "Disabled"}, [("persistence mode", NOTE)]),
        ({"compute_mode": "Prohibited"}, [("compute mode", UNFIT)]),
        ({"compute_mode": "Exclusive_Process"}, [("compute mode", NOTE)]),
        ({"pcie__link__width__current": "8"}, [("PCIe", NOTE)]),
    ],
)
def test_each_fact_that_matters_is_found(changed, expected):
    assert judged(**changed) == expected


def test_processes_are_named_and_said_once():
    assert judged(["python3 (pid 12, 3000 MiB)"], utilization__gpu="90", memory__used="3000") == [
        ("other processes", UNFIT)
    ]


def test_every_finding_says_what_why_and_what_to_do():
    preflight = Preflight("cuda:0")
    gpu.judge(
        {**HEALTHY, "ecc.errors.uncorrected.volatile.total": "2"}, ["a (pid 1, 2 MiB)"], preflight
    )
    for finding in preflight.findings:
        assert min(len(finding.seen), len(finding.why), len(finding.do)) > 10
    assert preflight.headline() == "cuda:0 is not fit to measure: 2 against it"


SMI = """#!/usr/bin/env python3
import sys
ANSWERS, APPS, UNKNOWN = {answers}, {apps!r}, {unknown}
arguments = dict(argument.partition("=")[::2] for argument in sys.argv[1:])
assert arguments["--id"] == "00000000:00:06.0" and arguments["--format"] == "csv,noheader,nounits"
if "--query-compute-apps" in arguments:
    print(APPS, end="")
else:
    fields = arguments["--query-gpu"].split(",")
    for field in fields:
        if field in UNKNOWN:
            print(f'Field "{{field}}" is not a valid field to query.')
            sys.exit(2)
    print(", ".join(ANSWERS[field] for field in fields))
"""


@pytest.fixture
def smi(tmp_path, monkeypatch):
    """Puts a program in the place of nvidia-smi, and returns what preflight finds."""

    def look(text):
        path = tmp_path / "nvidia-smi"
        path.write_text(textwrap.dedent(text))
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        preflight = Preflight("cuda:0")
        gpu.look_at("00000000:00:06.0", preflight)
        return preflight

    return look


def script(answers=HEALTHY, apps="", unknown=()):
    return SMI.format(answers=answers, apps=apps, unknown=list(unknown))


def test_facts_are_read(smi):
    preflight = smi(script())
    assert preflight.findings == []
    assert preflight.looked_at["driver_version"] == "580.159.04"
    assert "retired_pages.pending" not in preflight.looked_at, "what is not available is absent"


def test_an_older_driver_that_does_not_know_some_fields_is_asked_for_the_others(smi):
    preflight = smi(script(unknown=["gpu_recovery_action", "temperature.gpu.tlimit"]))
    assert preflight.findings == []
    assert preflight.looked_at["temperature.gpu"] == "33"


def test_other_processes_are_named(smi):
    preflight = smi(script(apps="/usr/bin/python3, 1234, 5000\ntrainer, 99, 70000\n"))
    (found,) = preflight.findings
    assert (found.check, found.level) == ("other processes", UNFIT)
    assert found.seen == "/usr/bin/python3 (pid 1234, 5000 MiB), trainer (pid 99, 70000 MiB)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#!/bin/sh\necho No devices were found; exit 6\n", "ended with 6: No devices were found"),
        ("#!/bin/sh\nexec sleep 60\n", "did not answer within"),
        ("#!/bin/sh\necho nonsense\n", "not one value a field"),
        ("#!/bin/sh\n", "answered 0 rows"),
        ("#!/no/such/shell\n", "nvidia-smi"),
    ],
)
def test_a_driver_that_does_not_answer_is_no_fit_machine(smi, monkeypatch, text, words):
    monkeypatch.setattr(gpu, "ANSWER_S", 0.5)
    (found,) = smi(text).findings
    assert found.check == "nvidia-smi"
    assert words in found.seen


def test_without_nvidia_smi_nothing_is_promised(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    preflight = Preflight("cuda:0")
    gpu.look_at("0", preflight)
    assert [(finding.check, finding.level) for finding in preflight.findings] == [
        ("nvidia-smi", UNKNOWN)
    ]
    assert preflight.headline() == "cuda:0 is fit to measure: 1 unknown"


def test_a_gpu_that_has_just_become_idle_is_looked_at_twice(smi, monkeypatch, tmp_path):
    monkeypatch.setattr(gpu.time, "sleep", lambda _: (tmp_path / "waited").touch())
    busy = script(answers={**HEALTHY, "utilization.gpu": "97"}).replace(
        "import sys\n",
        "import sys, pathlib\n",
    )
    idle = (
        f"ANSWERS['utilization.gpu'] = '0' if pathlib.Path({str(tmp_path / 'waited')!r}).exists() "
        "else '97'\n"
    )
    assert smi(busy.replace("arguments = dict", idle + "arguments = dict")).findings == []
