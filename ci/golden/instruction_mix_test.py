"""The instructions of a small kernel, as cuobjdump 13.2 prints what nvcc 13.0 made of it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ci.golden import instruction_mix

HERE = Path(__file__).resolve().parent

# Encodings are left out, and some of the NOPs behind the end.
SASS = """
Fatbin elf code:
================
arch = sm_90
code version = [1,8]
	code for sm_90
		Function : _Z5smallPK6float4PfPK7__half2i
	.headerflags	@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                 /* 0x00000a00ff017b82 */
                                                                          /* 0x000fe20000000800 */
        /*0050*/                   IMAD.WIDE.U32 R4, R0, 0x10, R4 ;
        /*0060*/                   LDG.E.128 R4, desc[UR6][R4.64] ;
        /*0080*/                   LDG.E.U16.CONSTANT R8, desc[UR6][R2.64] ;
        /*0090*/                   LDG.E.U16.CONSTANT R9, desc[UR6][R2.64+0x200] ;
        /*0110*/                   FMUL.RZ R7, R4, 0.15915493667125701904 ;
        /*0120*/                   LEA R4, R0.reuse, UR4, 0x2 ;
        /*0140*/                   MUFU.SIN R7, R7 ;
        /*0150*/                   HFMA2 R9, R8.H0_H0, R9.H0_H0, R8.H0_H0 ;
        /*0170*/                   FFMA R5, R5, R7, R6 ;
        /*0190*/                   STS [R4], R5 ;
        /*01a0*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*01c0*/                   LDS R10, [R10] ;
        /*01e0*/                   STG.E desc[UR6][R2.64], R9 ;
        /*01f0*/              @!P0 BRA 0x230 ;
        /*0200*/                   LDC.64 R2, c[0x0][0x218] ;
        /*0210*/                   HFMA2.MMA R5, -RZ, RZ, 1.875, 0 ;
        /*0220*/                   REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR6][R2.64], R5 ;
        /*0270*/                   STG.E.U8 desc[UR6][R2.64], R0 ;
        /*0280*/              @UP1 EXIT ;
        /*0290*/                   BRA 0x290;
        /*02a0*/                   NOP;
		..........
Fatbin elf code:
================
arch = sm_80
		Function : _Z5otherv
        /*0000*/                   EXIT ;
"""


def test_instructions_are_counted_by_class():
    small, other = instruction_mix.parse(SASS)
    assert (small.name, small.arch) == ("_Z5smallPK6float4PfPK7__half2i", "sm_90")
    assert small.multiply_adds == [" R5, R5, R7, R6 "]
    assert small.text() == (
        "20 instructions: LDG.128 1, LDG.16 2, STG.32 1, STG.8 1, LDS.32 1, STS.32 1, REDG 1, FFMA "
        "1, FMUL 1, HFMA2 1, MUFU 1, IMAD 1, BAR 1, BRA 1, other 5"
    )
    assert (other.name, other.arch, other.text()) == (
        "_Z5otherv",
        "sm_80",
        "1 instructions: other 1",
    )


@pytest.mark.skipif(instruction_mix.disassembler() is None, reason="no cuobjdump")
@pytest.mark.skipif(
    shutil.which("nvcc", path="/usr/local/cuda/bin") is None, reason="no CUDA compiler"
)
def test_the_disassembler_still_prints_so(tmp_path):
    source = tmp_path / "copy.cu"
    source.write_text(
        "__global__ void copy(const float4* a, float4* b) { b[threadIdx.x] = a[threadIdx.x]; }"
    )
    built = tmp_path / "copy.o"
    subprocess.run(
        ["/usr/local/cuda/bin/nvcc", "-arch=sm_90", "-c", source, "-o", built], check=True
    )
    (mix,) = instruction_mix.disassemble(instruction_mix.disassembler(), [built])
    assert (mix.counts["LDG.128"], mix.counts["STG.128"], mix.arch) == (1, 1, "sm_90")


def test_without_a_disassembler_it_says_where_to_find_one(tmp_path):
    command = [
        sys.executable,
        HERE / "kernel_resources",
        "--mix",
        "--root",
        tmp_path,
        "--build",
        tmp_path,
    ]
    answer = subprocess.run(command, capture_output=True, text=True, env={"PATH": ""}, check=False)
    assert answer.returncode == 1
    if not instruction_mix.disassembler():
        assert "there is no cuobjdump" in answer.stderr
