"""`ridgeline check` on programs that crash, read standard input, or are ended from outside: what is
told then, and that nothing is left."""

import contextlib
import json
import os
import signal
import subprocess
import time

from harness.cli.checked_programs import check
from harness.run.scripted_runs import BUILD

ADD = "__global__ void add(float* x) { x[threadIdx.x] += 1; }\n"

FREED = ADD + (
    "#include <cstdio>\n"
    "int main() {\n"
    "  float* x;\n"
    "  cudaMallocManaged(&x, 32 * sizeof *x);\n"
    "  add<<<1, 32>>>(x);\n"
    "  cudaDeviceSynchronize();\n"
    '  printf("added");\n'
    "  cudaFree(x);\n"
    "  return x[3] != 1;\n"  # line 10
    "}\n"
)
NO_ARGUMENT = "#include <cstdlib>\n" + ADD + "int main(int, char** a) { return atoi(a[1]); }\n"
ABORTED = ADD + "#include <cassert>\nint main(int count, char**) {\n  assert(count > 7);\n}\n"
RECURSES = ADD + (
    "volatile int depth;\n"
    "int deeper(int n) { volatile char room[4096]; room[n % 7] = 1; ++depth;\n"
    "  return deeper(n + 1) + room[3] + depth; }\n"
    "int main() { float* x; cudaMalloc(&x, 128); cudaMemset(x, 0, 128); add<<<1, 32>>>(x);\n"
    "  return deeper(0); }\n"
)

HOST_LOOP = ADD + (
    "#include <cstdio>\n"
    "volatile long turns;\n"
    "int main() {\n"
    "  float* x;\n"
    "  cudaMallocManaged(&x, 32 * sizeof *x); for (int i = 0; i < 32; ++i) x[i] = 0;\n"
    "  add<<<1, 32>>>(x);\n"
    "  cudaDeviceSynchronize();\n"
    # Wherever it is when it has said so, it is in line 9.
    '  for (;;) if (++turns == 1) printf("launched\\n");\n'
    "}\n"
)
KERNEL_LOOP = (
    "#include <cstdio>\n"
    "__global__ void often(float* x) {\n"
    '  if (blockIdx.x + blockIdx.y == 0) printf("launched\\n");\n'
    "  for (long i = 0; i < 1l << 50; ++i) x[i % 32] += 1; }\n"
    "int main() {\n"
    "  float* x;\n"
    "  cudaMallocManaged(&x, 32 * sizeof *x);\n"
    "  for (int i = 0; i < 32; ++i) x[i] = 0;\n"
    "  often<<<dim3(3, 2), 1>>>(x);\n"
    "}\n"
)

# Overwrites what malloc() knows of the memory behind all that is allocated.
OVERWRITES = (
    "#include <cstdlib>\n#include <cstring>\n#include <thread>\n#include <unistd.h>\n"
    + ADD
    + (
        "int main(int count, char**) {\n"
        "  float* x; cudaMalloc(&x, 128); cudaMemset(x, 0, 128); add<<<2, 32>>>(x);\n"  # a race
        "  if (count > 2) std::thread([] { for (;;) ::sleep(1); }).detach();\n"
        "  char* volatile last = static_cast<char*>(malloc(100000));\n"
        "  memset(last + 100000, 0xff, 64);\n"  # line 10
        "  if (count > 1) last = static_cast<char*>(malloc(120000));\n"
        "}\n"
    )
)

# One child crashes, the other one ends by exit().
FORKS = (
    "#include <cstdlib>\n#include <sys/wait.h>\n#include <unistd.h>\n"
    + ADD
    + (
        "int main() {\n"
        "  float* x; cudaMalloc(&x, 128); cudaMemset(x, 0, 128); add<<<1, 32>>>(x);\n"
        "  int crashed = 0, ended = 0;\n"
        "  if (fork() == 0) *static_cast<volatile int*>(nullptr) = 1;\n"
        "  wait(&crashed);\n"
        "  if (fork() == 0) exit(3);\n"
        "  wait(&ended);\n"
        "  add<<<1, 32>>>(x);\n"
        "  return !WIFSIGNALED(crashed) || WEXITSTATUS(ended) != 3;\n"
        "}\n"
    )
)

# Sums the numbers that it is given, and has variables that may be read too early, so that it runs
# twice.
SUMS = (
    "#include <cstdio>\n"
    "__global__ void add(int* x, int n) { int y; if (n > 0) y = n; *x += y; }\n"
    "int main() {\n"
    "  int *x, n;\n"
    "  cudaMallocManaged(&x, sizeof *x);\n"
    "  *x = 0;\n"
    '  while (scanf("%d", &n) == 1) { add<<<1, 1>>>(x, n); cudaDeviceSynchronize(); }\n'
    '  printf("sum %d\\n", *x);\n'
    "}\n"
)
LOSES_ITS_HEADER = '#include "part.cuh"\n' + SUMS.replace(
    "int main() {\n", 'int main() {\n  remove("part.cuh");\n'
)


def checked(folder, text, *arguments, **options):
    (folder / "program.cu").write_text(text)
    return subprocess.run(
        [BUILD / "ridgeline", "check", "program.cu", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
        **options,
    )


def test_a_crash_of_host_code_is_a_finding_with_its_line(tmp_path):
    done = checked(tmp_path, FREED, "--sarif", "found.sarif")
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout.startswith("added\n"), done.stdout
    assert "1 mistake in 1 launches" in done.stdout
    assert "/program.cu:10: signal 11 (Segmentation fault) at " in done.stdout
    assert "which is freed" in done.stdout
    assert "behind launch 1, add<<<1, 32>>>" in done.stdout
    (run,) = json.loads((tmp_path / "found.sarif").read_text())["runs"]
    assert len(run["results"]) == 1
    written = json.loads(check(tmp_path, "program.cu", "--json").stdout)
    assert written["outcome"] == "wrong_result"
    assert written["findings"][0]["check"] == "crash"
    assert written["findings"][0]["line"] == 10


def test_a_crash_without_arguments_before_the_first_launch_says_where_those_stand(tmp_path):
    done = checked(tmp_path, NO_ARGUMENT)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "/program.cu:3: signal 11" in done.stdout
    assert (
        "before the first launch. It was given no arguments: those of main() stand behind --"
        in (done.stdout)
    )
    assert checked(tmp_path, NO_ARGUMENT, "--", "0").returncode == 0


def test_an_abort_and_a_stack_that_is_full_are_crashes(tmp_path):
    done = checked(tmp_path, ABORTED)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "/program.cu:4: signal 6 (Aborted), in host code" in done.stdout
    done = checked(tmp_path, RECURSES)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "/program.cu:" in done.stdout
    assert "behind launch 1, add<<<1, 32>>>" in done.stdout


def test_a_heap_that_is_overwritten_keeps_nothing_from_being_told(tmp_path):
    # The program's report is the first that needs memory, or a call of malloc() is, which finds it
    # with its lock held where there is a second thread.
    for arguments in [], ["allocate"], ["allocate", "thread"]:
        done = checked(tmp_path, OVERWRITES, "--", *arguments)
        assert done.returncode == 2, done.stdout + done.stderr
        assert "3 mistakes in 1 launches" in done.stdout
        assert "signal 6 (Aborted), in host code" in done.stdout
        assert not arguments or "/program.cu:11: signal 6" in done.stdout


def test_a_library_that_is_preloaded_does_not_meet_the_programs_allocator(tmp_path, monkeypatch):
    source = tmp_path / "saying.cu"
    source.write_text(
        "#include <cstdio>\n#include <cstdlib>\n"
        + ADD
        + 'int main() { printf("preloaded: [%s]\\n", getenv("LD_PRELOAD")); }\n'
    )
    monkeypatch.setenv("LD_PRELOAD", "libm.so.6")
    checked = check(tmp_path, source)
    assert "preloaded: []" in checked.stdout, checked.stdout + checked.stderr


def test_a_process_that_the_program_forks_ends_by_itself(tmp_path):
    done = checked(tmp_path, FORKS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing wrong was found in 2 launches" in done.stdout


def interrupted(folder, text, *arguments):
    """What a program is told to have done when its check gets two signals at once, as `timeout` and
    terminals send them, after the program has said that it has launched. The check is stopped
    meanwhile, so that they come at once on a busy machine, too."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    (folder / "program.cu").write_text(text)
    with subprocess.Popen(
        [BUILD / "ridgeline", "check", "program.cu", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(scratch)},
    ) as process:
        first = process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        for number in signal.SIGTERM, signal.SIGHUP, signal.SIGCONT:
            process.send_signal(number)
        rest, errors = process.communicate(timeout=300)
    assert process.returncode == 130, first + rest + errors
    assert errors == "ridgeline: interrupted; the check did not end\n"
    assert list(scratch.iterdir()) == []
    assert first == "launched\n"
    return rest


def test_an_interrupt_tells_where_the_program_was_and_leaves_nothing(tmp_path):
    told = interrupted(tmp_path, HOST_LOOP)
    assert "interrupted in host code at " in told
    assert "/program.cu:9, behind launch 1, add<<<1, 32>>>" in told
    told = interrupted(tmp_path, KERNEL_LOOP, "--limit", "none")
    assert "interrupted in launch 1, often<<<(3, 2, 1), 1>>>" in told


def test_an_interrupt_of_the_compiler_says_that_nothing_has_run(tmp_path):
    header = tmp_path / "awaited.cuh"
    os.mkfifo(header)
    (tmp_path / "program.cu").write_text('#include "awaited.cuh"\nint main() {}\n')
    with subprocess.Popen(
        [BUILD / "ridgeline", "check", "program.cu", "--junit", "j.xml"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        while process.poll() is None:
            with contextlib.suppress(OSError):  # nobody reads it yet
                held = os.open(header, os.O_WRONLY | os.O_NONBLOCK)
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)  # while the compiler waits for the header's end
        errors = process.communicate(timeout=300)[1]
        os.close(held)
    assert process.returncode == 130, errors
    assert errors == (
        "program.cu was still being compiled: nothing of it has run\n"
        "ridgeline: interrupted; the check did not end\n"
    )
    assert "program.cu was still being compiled" in (tmp_path / "j.xml").read_text()


def test_standard_input_is_the_programs(tmp_path):
    done = checked(tmp_path, SUMS, input="3 4\n")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "sum 7\n" in done.stdout
    (tmp_path / "numbers").write_text("5 6\n")
    with (tmp_path / "numbers").open() as numbers:
        done = checked(tmp_path, SUMS, stdin=numbers)
    assert "sum 11\n" in done.stdout


def test_what_the_first_run_told_is_seen_where_the_second_cannot_be_made(tmp_path):
    for arguments in [], ["--json"]:
        (tmp_path / "part.cuh").write_text("")
        done = checked(tmp_path, LOSES_ITS_HEADER, *arguments, input="3 4\n")
        assert done.returncode == 64, done.stdout + done.stderr
        assert "the second run, with zeros in variables, was not made: " in done.stderr
        if arguments:
            written = json.loads(done.stdout)
            assert written["launches"] == 2
            assert written["outcome"] == "not_built"
        else:
            assert "sum 7\n" in done.stdout
            assert "nothing wrong was found in 2 launches" in done.stdout
