"""`ridgeline check` on the documented example, whole and with mistakes planted in it."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from harness.run.scripted_runs import BUILD, ROOT

EXAMPLE = ROOT / "docs" / "examples" / "reverse_rows.cu"


if not (BUILD.parent / "lib" / "ridgeline" / "check.json").exists():
    pytest.skip("this build has no emulated device", allow_module_level=True)


def check(*arguments):
    return subprocess.run(
        [BUILD / "ridgeline", "check", *arguments], capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def changed(tmp_path):
    """A copy of the example, elsewhere, with `old` replaced."""

    def change(old, new):
        text = EXAMPLE.read_text()
        assert old in text
        file = tmp_path / "kernel.cu"
        file.write_text(text.replace(old, new))
        return str(file)

    return change


def test_the_example_is_right_and_is_listed_with_its_counts():
    done = check(str(EXAMPLE))
    assert done.returncode == 0, done.stderr
    assert "nothing wrong was found" in done.stdout
    assert re.search(r"global_load_sectors_per_request +4\n", done.stdout)
    assert "row[i] = in[first + i];" in done.stdout


def test_counts_are_exact_in_json():
    done = check(str(EXAMPLE), "--json", "--device", "emulated:sm_80")
    assert done.returncode == 0, done.stderr
    counted = json.loads(done.stdout)
    assert counted["outcome"] == "counted"
    values = {metric["name"]: metric["value"] for metric in counted["metrics"]}
    warps = 128 * 2
    assert values["global_load_requests"] == values["global_store_requests"] == warps
    assert values["global_load_sectors"] == 4 * warps
    assert values["shared_wavefronts_per_request"] == 1
    assert values["barriers"] == 128


def test_a_race_is_found_in_its_line(changed):
    file = changed("  __syncthreads();\n", "")
    done = check(file)
    assert done.returncode == 2, done.stdout + done.stderr
    assert re.search(r"race .*kernel\.cu:\d+.*row", done.stdout), done.stdout
    assert "reverse_rows" in done.stdout


def test_what_would_kill_the_program_is_found_in_its_line(changed):
    done = check(changed("row[i] = in[first + i];", "row[i + 64 * blockDim.x] = in[first + i];"))
    assert done.returncode == 2, done.stdout + done.stderr
    assert re.search(
        r"out of bounds \(shared\) in reverse_rows at .*kernel\.cu:\d+: thread 0 of block 0: "
        r"row of 256 bytes \+ 16384 \(index 4096 of elements of 4 bytes\)",
        done.stdout,
    )


def test_the_branch_of_the_chosen_architecture_is_checked(changed):
    branches = """
#if __CUDA_ARCH__ >= 900
  out[first + i] = row[63 - i];
#else
  out[first + i] = row[i];
#endif"""
    file = changed("  out[first + i] = row[63 - i];", branches)
    assert check(file).returncode == 0
    done = check(file, "--device", "emulated:sm_80")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "wrong result: element 0" in done.stdout


def test_other_orders_of_threads_are_tried_and_named(changed):
    done = check(
        changed(
            "out[first + i] = row[63 - i];",
            "__shared__ int next;\n  if (i == 0) next = 0;\n  __syncthreads();\n"
            "  const int place = atomicAdd(&next, 1);\n  out[first + 63 - place] = row[i];",
        )
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert re.search(
        r"wrong result: element \d+\n +found with the order of threads number [123]\n", done.stdout
    )


def test_what_may_be_meant_otherwise_is_noted(changed):
    done = check(
        changed(
            "out[first + i] = row[63 - i];",
            "__shared__ int any;\n  any = 1;\n  __syncthreads();\n"
            "  out[first + i] = row[63 - i] * any;",
        )
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(
        r"note: same value stored without order in reverse_rows at .*kernel\.cu:\d+", done.stdout
    )


def test_a_wrong_result_says_what_is_wrong(changed):
    done = check(changed("row[63 - i]", "row[62 - i % 32]"))
    assert done.returncode == 2
    assert "wrong result: element 0" in done.stdout


def test_what_does_not_compile_ends_after_the_compilers_words(changed):
    done = check(changed("row[63 - i]", "rwo[63 - i]"))
    assert done.returncode == 64
    assert "kernel.cu" in done.stderr and "rwo" in done.stderr
    assert "cannot be compiled for the emulated device" in done.stderr


def test_what_could_not_be_counted_is_an_error_with_a_hint(changed):
    done = check(changed("__shared__ float row[64];", "extern __shared__ float row[];"))
    assert done.returncode == 64, done.stdout + done.stderr
    assert re.search(
        r"kernel\.cu:\d+:\d+: error: dynamic shared memory is named by extern __shared__",
        done.stderr,
    )
    assert "hint: name it by RIDGELINE_DYNAMIC_SHARED(type, name) in the kernel" in done.stderr
    assert "kernel.cu cannot be compiled for the emulated device" in done.stderr


def test_a_file_that_is_not_there_is_named():
    done = check("nowhere.cu")
    assert done.returncode == 64
    assert "cannot read nowhere.cu\n" in done.stderr


def test_other_devices_check_nothing():
    done = check(str(EXAMPLE), "--device", "cpu")
    assert done.returncode == 64
    assert "cpu does not check kernels" in done.stdout + done.stderr


def test_a_check_that_launches_nothing_says_so(tmp_path):
    file = tmp_path / "empty.cu"
    file.write_text(
        '#include "harness/device/check.hpp"\nvoid ridgeline::check(device::Device&) {}\n'
    )
    done = check(str(file))
    assert done.returncode == 0
    assert "No kernel was launched, so nothing was checked." in done.stdout


@pytest.fixture
def unpacked(tmp_path):
    """What an archive of this build holds for `check`, in another folder than it was installed
    into."""
    installed, moved = tmp_path / "installed", tmp_path / "else where"
    command = ["cmake", "--install", BUILD.parent, "--component", "check", "--prefix", installed]
    subprocess.run(command, check=True, capture_output=True)
    (installed / "bin").mkdir()
    shutil.copy2(BUILD / "ridgeline", installed / "bin")
    installed.rename(moved)
    return moved


def test_an_unpacked_archive_checks_without_the_clone(unpacked, changed):
    kit = (unpacked / "lib" / "ridgeline" / "check.json").read_text()
    assert str(ROOT) not in kit and str(BUILD.parent) not in kit
    command = [unpacked / "bin" / "ridgeline", "check"]
    done = subprocess.run(
        [*command, EXAMPLE, "--json"], capture_output=True, text=True, cwd=unpacked
    )
    assert done.returncode == 0, done.stderr
    assert (
        json.loads(done.stdout)["metrics"]
        == json.loads(check(str(EXAMPLE), "--json").stdout)["metrics"]
    )
    done = subprocess.run(
        [*command, changed("  __syncthreads();\n", "")],
        capture_output=True,
        text=True,
        cwd=unpacked,
    )
    assert done.returncode == 2, done.stderr
    assert re.search(r"race .*kernel\.cu:\d+.*row", done.stdout), done.stdout


@pytest.mark.parametrize("arguments", [[], ["--json"]], ids=["text", "json"])
def test_a_check_without_an_end_is_interrupted_and_leaves_nothing(changed, tmp_path, arguments):
    started = tmp_path / "started"
    source = changed(
        "  constexpr unsigned rows = 128;",
        f'  std::fclose(std::fopen("{started}", "w"));\n'
        '  for (;;) std::puts("\\x1b[31m\\n::error::flood");\n  constexpr unsigned rows = 1;',
    )
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [BUILD / "ridgeline", "check", source, *arguments],
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 60
    while not started.exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(1)  # of flood
    said = b"" if arguments else process.stdout.read(100_000)
    resident = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
    process.terminate()
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert errors == b"ridgeline: interrupted; the check did not end\n"
    assert list(scratch.iterdir()) == []
    assert said.replace(b"\\x1b[31m\n\\x3a:error::flood\n", b"").count(b"\n") <= 2
    assert int(resident[1]) < 100_000  # nothing that is printed is kept without an end
    assert not subprocess.run(["pgrep", "-f", str(scratch)], capture_output=True).stdout
