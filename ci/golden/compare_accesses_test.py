"""What the two compilers print, read back: small texts of nvcc 13.0 and binutils 2.40, and how they
are compared."""

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ci.golden import accesses, accesses_table

HERE = Path(__file__).resolve().parent
ROOT = Path("/tree")
PTX = """
.visible .entry _Z4turnPKfPf(
	.param .u64 _Z4turnPKfPf_param_0
)
{
	.loc	1 15 0
	ld.param.u64 	%rd9, [_Z4turnPKfPf_param_0];
	.loc	1 25 5
	@%p1 bra 	$L__BB0_2;
	ld.global.nc.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd32];
	.loc	1 0 5
	st.shared.f32 	[%r3], %f108;
	.loc	2 18 3, function_name $L__info_string0, inlined_at 1 30 7
	// begin inline asm
	cp.async.cg.shared.global [%r12], [%rd8], 16, %r13;
	// end inline asm
	.loc	3 9 1, function_name $L__info_string1, inlined_at 2 40 3
	.loc	2 40 3, function_name $L__info_string0, inlined_at 1 31 7
	.loc	3 9 1, function_name $L__info_string1, inlined_at 2 40 3
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];
	wmma.load.a.sync.aligned.row.m16n16k16.global.f16 	{%r44}, [%rd52], %r103;
	.loc	4 7 1, function_name $L__info_string2, inlined_at 1 32 7
	ld.shared.u8 	%rs1, [%r9];
	.loc	1 33 5
	@!%p2 red.global.add.u32 	[%rd3], %r8;
	atom.shared.cas.b64 	%rd4, [%r8], %rd5, %rd6;
	st.local.f32 	[%rd1], %f1;
	cp.async.commit_group;
	mov.u32 	%r1, %tid.x;
	ret;
}
.func  (.param .b32 func_retval0) _Z6helperf(
	.param .b32 p
)
{
	.loc	1 50 1
	st.global.f32 	[%rd1], %f1;
}
	.file	1 "/tree/kernels/a/cuda/turn.cu"
	.file	2 "/tree/kernels/ptx/copy.cuh"
	.file	3 "/usr/include/cuda_fp16.hpp"
	.file	4 "/tree/kernels/a/cuda/walk.cuh"
"""


def test_accesses_are_read_from_ptx():
    turn, walk = "kernels/a/cuda/turn.cu", "kernels/a/cuda/walk.cuh"
    assert accesses.parse_ptx(PTX, ROOT) == {
        ("_Z4turnPKfPf", turn, 25, "load"): Counter({16: 1}),
        ("_Z4turnPKfPf", turn, 25, "store"): Counter({4: 1}),  # line 0 is the compiler's own
        ("_Z4turnPKfPf", turn, 30, "async copy"): Counter({16: 1}),
        ("_Z4turnPKfPf", turn, 31, "load"): Counter({16: 1}),  # ldmatrix, two calls deep
        ("_Z4turnPKfPf", walk, 7, "load"): Counter({1: 1}),
        ("_Z4turnPKfPf", turn, 33, "atomic"): Counter({0: 2}),
    }


DISASSEMBLY = """
Disassembly of section .text:

0000000000000000 <_Z4turnPKfPf>:
   0:	55                   	push   %rbp
  44:	e8 00 00 00 00       	call   49 <_Z4turnPKfPf+0x49>
			45: R_X86_64_PLT32	__tsan_func_entry-0x4
 1fa:	e8 00 00 00 00       	call   1ff <_Z4turnPKfPf+0x1ff>
			1fb: R_X86_64_PLT32	__tsan_read16-0x4
 20b:	e8 53 00 00 00       	call   263 <_ZL6helperPf>
 260:	e8 00 00 00 00       	call   265 <_ZL6helperPf>
			261: R_X86_64_PLT32	_Unwind_Resume-0x4

0000000000000265 <_ZL6helperPf>:
 270:	e8 00 00 00 00       	call   275 <_ZL6helperPf+0x10>
			271: R_X86_64_PLT32	_ZN9ridgeline8emulated6updateEPvmmNS0_6UpdateENS0_6NumberE-0x4
"""


def test_calls_are_read_from_a_disassembly():
    calls = accesses.parse_disassembly(DISASSEMBLY)
    assert [(call.function, call.address, call.called) for call in calls] == [
        ("_Z4turnPKfPf", 0x44, "__tsan_func_entry"),
        ("_Z4turnPKfPf", 0x1FA, "__tsan_read16"),
        ("_Z4turnPKfPf", 0x20B, "_ZL6helperPf"),
        (
            "_Z4turnPKfPf",
            0x260,
            "_Unwind_Resume",
        ),  # and not what stands behind, where the unlinked call points
        ("_ZL6helperPf", 0x270, "_ZN9ridgeline8emulated6updateEPvmmNS0_6UpdateENS0_6NumberE"),
    ]
    kinds = [accesses.emulated_access(call.called) for call in calls]
    assert kinds == [None, ("load", 16), None, None, ("atomic", 0)]
    assert accesses.emulated_access("__tsan_unaligned_write8") == ("store", 8)
    assert accesses.emulated_access("__tsan_atomic32_fetch_add") == ("atomic", 0)
    read_only = ["14load_read_onlyILi2EEEmPKv", "17load_read_only_16EPKv"]
    widths = [accesses.emulated_access("_ZN9ridgeline8emulated" + name) for name in read_only]
    assert widths == [("load", 2), ("load", 16)]
    assert accesses.emulated_access("_ZN9ridgeline8emulated10copy_asyncEPvPKvb") == (
        "async copy",
        16,
    )
    assert accesses.emulated_access("_ZN9ridgeline8emulated12copy_async_4EPvPKvb") == (
        "async copy",
        4,
    )
    assert accesses.emulated_access("_ZN9ridgeline8emulated12thread_indexEv") is None


@pytest.mark.skipif(
    shutil.which("g++") is None or shutil.which("objdump") is None, reason="no g++ or binutils"
)
def test_accesses_of_an_object_file_are_those_of_the_source(tmp_path):
    source = tmp_path / "kernels" / "a" / "turn.cu.cpp"
    source.parent.mkdir(parents=True)
    source.write_text(
        "using uint4 = unsigned __attribute__((vector_size(16)));\n"
        "template <class T> [[gnu::noinline]] static void put(T* to, T value) {\n"
        "  *to = value;\n"
        "}\n"
        "template <class T> void turn(const T* from, T* to) {\n"
        "  for (int i = 0; i < 8; ++i)\n"
        "    put(to + i, from[i]);\n"
        "}\n"
        "template void turn<float>(const float*, float*);\n"
        "template void turn<uint4>(const uint4*, uint4*);\n"
    )
    built = tmp_path / "turn.o"
    subprocess.run(["g++", "-c", "-O1", "-g", "-fsanitize=thread", source, "-o", built], check=True)
    narrow, wide = "_Z4turnIfEvPKT_PS0_", "_Z4turnIDv4_jEvPKT_PS1_"
    found = accesses.emulated_accesses(built, {narrow: "narrow", wide: "wide"})
    file = "kernels/a/turn.cu"
    assert (
        accesses.source_of("build/x/generated/emulated/kernels/a/turn.cu.cpp")
        == "kernels/a/turn.cu"
    )
    assert found == {
        ("narrow", file, 7, "load"): Counter({4: 1}),
        ("narrow", file, 3, "store"): Counter({4: 1}),
        ("wide", file, 7, "load"): Counter({16: 1}),
        ("wide", file, 3, "store"): Counter({16: 1}),
    }


@pytest.mark.parametrize(
    ("gcc", "nvcc", "equal", "ratio"),
    [
        ({4: 1}, {4: 1}, True, 1),
        ({4: 2}, {4: 64}, True, 1),  # unrolled
        ({4: 1, 16: 2}, {4: 4, 16: 8}, True, 1),
        ({4: 2}, {4: 32, 16: 8}, False, 0.625),  # four neighbours at once
        ({16: 1}, {4: 4}, False, 4),  # split
        ({4: 1, 16: 1}, {4: 2, 16: 1}, False, 1.25),
    ],
)
def test_what_differs_is_widths_and_not_loops(gcc, nvcc, equal, ratio):
    gcc, nvcc = Counter(gcc), Counter(nvcc)
    assert accesses.same(gcc, nvcc) == equal
    assert accesses.requests_for_the_same_bytes(gcc, nvcc) == pytest.approx(ratio)


def test_a_statement_of_several_lines_is_one():
    def access(line, kind="load", count=1):
        return {("kernel", "a.cu", line, kind): Counter({4: count})}

    assert accesses.without_moved(access(10), access(11, count=4)) == ({}, {})
    assert accesses.without_moved(access(10), access(13)) == (access(10), access(13))
    assert accesses.without_moved(access(10), access(11, "store")) == (
        access(10),
        access(11, "store"),
    )
    both = access(10) | access(11)
    assert accesses.without_moved(both, access(11)) == (both, access(11)), (
        "the other line has its own"
    )


def test_widths_are_shown_in_order():
    assert accesses.shown(Counter({16: 8, 4: 32})) == "32 x 4 B, 8 x 16 B"
    assert accesses.shown(Counter()) == "none"
    assert accesses.requests_for_the_same_bytes(Counter({0: 1}), Counter({0: 1})) is None


LINE = "to[i] = from[i];"
SPLIT = "load: g++ 1 x 16 B; nvcc 4 x 4 B"


@pytest.fixture
def tree(tmp_path) -> Path:
    source = tmp_path / "kernels" / "a" / "turn.cu"
    source.parent.mkdir(parents=True)
    source.write_text(f"first\n  {LINE}\n{LINE}\n")
    return tmp_path


def row(line: int = 2, difference: str = SPLIT) -> accesses_table.Row:
    return accesses_table.Row("kernels/a/turn.cu", line, difference, "turn")


TURN = Path("kernels/a/turn.cu")


def test_the_table_names_lines_by_their_text(tree):
    text = accesses_table.table({TURN: [row()]}, "nvcc 1.0, g++ 2.0", tree)
    assert text.endswith(
        f"\n# nvcc 1.0, g++ 2.0\n\nkernels/a/turn.cu\n  {LINE}\n    {SPLIT} (turn)\n"
    )
    assert accesses_table.compilers(text) == "nvcc 1.0, g++ 2.0"
    assert accesses_table.compilers("") == ""
    assert accesses_table.changes(text, {TURN: [row(3)]}, tree) == "", "a line that only moved"


def test_a_difference_that_appears_is_shown_with_its_place_and_what_to_do(tree):
    golden = accesses_table.table({TURN: [row()]}, "nvcc 1.0, g++ 2.0", tree)
    said = accesses_table.changes(golden, {TURN: [row(), row(3)]}, tree)
    assert said.startswith(
        f"kernels/a/turn.cu\n  kernels/a/turn.cu:3\n  {LINE}\n    {SPLIT} (turn)\n\n"
    )
    assert accesses_table.APPEARED in said
    assert accesses_table.VANISHED not in said


def test_a_difference_that_vanishes_is_shown_with_what_to_do(tree):
    golden = accesses_table.table({TURN: [row(), row(3)]}, "nvcc 1.0, g++ 2.0", tree)
    said = accesses_table.changes(golden, {TURN: [row()]}, tree)
    assert said == f"kernels/a/turn.cu\n  {LINE}\n    {SPLIT} (turn)\n\n{accesses_table.VANISHED}\n"
    assert accesses_table.changes(golden, {}, tree).count(LINE) == 2


def test_a_difference_that_changes_is_both(tree):
    golden = accesses_table.table({TURN: [row()]}, "nvcc 1.0, g++ 2.0", tree)
    said = accesses_table.changes(
        golden, {TURN: [row(difference="load: g++ none; nvcc 4 x 4 B")]}, tree
    )
    assert (
        said.index(accesses_table.APPEARED)
        < said.index(SPLIT)
        < said.index(accesses_table.VANISHED)
    )
    assert accesses_table.changes("", {TURN: [row()]}, tree).count(LINE) == 1, (
        "without a table, all of it appears"
    )


def compare_accesses(build: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [
        sys.executable,
        HERE / "compare_accesses",
        "--root",
        build.parent,
        "--build",
        build,
        *arguments,
    ]
    return subprocess.run(command, capture_output=True, text=True)


def configured(build: Path, nvcc: str) -> Path:
    """What CMake says of the compilers of a build."""
    facts = build / "CMakeFiles" / "3.25.1"
    facts.mkdir(parents=True)
    (facts / "CMakeCUDACompiler.cmake").write_text(f'set(CMAKE_CUDA_COMPILER_VERSION "{nvcc}")\n')
    (facts / "CMakeCXXCompiler.cmake").write_text(
        'set(CMAKE_CXX_COMPILER_ID "GNU")\nset(CMAKE_CXX_COMPILER_VERSION "2.0")\n'
    )
    return build


def test_a_table_of_other_compilers_is_not_compared_and_that_is_said(tree):
    text = accesses_table.table({}, "nvcc 1.0, g++ 2.0", tree)
    (tree / "kernels" / "accesses.txt").write_text(text)
    other = configured(tree / "other", nvcc="1.1")
    for asked in ("--check", "--why-not"):
        answer = compare_accesses(other, asked)
        assert answer.returncode == 0
        assert (
            "made by nvcc 1.0, g++ 2.0, this build by nvcc 1.1, g++ 2.0: accesses are not compared"
        ) in answer.stdout
    same = configured(tree / "same", nvcc="1.0")
    assert compare_accesses(same, "--why-not").stdout == ""
    unbuilt = compare_accesses(same, "--check")
    assert (unbuilt.returncode, "build first" in unbuilt.stderr) == (1, True)
