"""What `ridgeline check` says of memory that nobody has written and the host downloads."""

import json

from harness.cli.checked_programs import check

DOWNLOADS = r"""
#include <cstdio>
__global__ void fill(float* to, int n) { if (threadIdx.x < n) to[threadIdx.x] = 1; }
int main() {
  float *x, *y, *z, found[32] = {};
  for (float** each : {&x, &y, &z}) cudaMalloc(each, sizeof found);
  cudaMemcpy(found, x, sizeof found, cudaMemcpyDeviceToHost);
  if (LAUNCHES) fill<<<1, 32>>>(x, WRITTEN);
  cudaMemcpy(y, x, sizeof found, cudaMemcpyDeviceToDevice);
  cudaMemcpy(found, y, WANTED * sizeof(float), cudaMemcpyDeviceToHost);
  if (OTHER) cudaMemcpy(found, z, sizeof found, cudaMemcpyDeviceToHost);
  printf("last %g\n", found[31]);
}
"""


def checked(folder, launches, written, wanted, other):
    (folder / "downloads.cu").write_text(DOWNLOADS)
    values = {"LAUNCHES": launches, "WRITTEN": written, "WANTED": wanted, "OTHER": other}
    defined = [word for name, value in values.items() for word in ("-D", f"{name}={value}")]
    done = check(folder, "downloads.cu", *defined, "--json")
    told = json.loads(done.stdout)
    return done.returncode, told["findings"], told["notes"]


def test_memory_that_nobody_wrote_is_no_result(tmp_path):
    code, findings, _ = checked(tmp_path, 1, 32, 32, 1)
    assert code == 2
    (found,) = findings
    assert found["check"] == "uninitialised (download)" and found["line"] == 11, found
    assert "128 of the 128 bytes" in found["text"], found


def test_what_a_kernel_left_out_is_a_note_through_any_copies(tmp_path):
    code, findings, notes = checked(tmp_path, 1, 31, 32, 0)
    assert (code, findings) == (0, [])
    (partly,) = [note for note in notes if "downloads.cu:10" in note]
    assert "4 of the 128 bytes" in partly and "+ 124" in partly


def test_only_what_is_downloaded_counts(tmp_path):
    code, findings, notes = checked(tmp_path, 1, 31, 31, 0)
    assert (code, findings) == (0, [])
    assert not [note for note in notes if "downloads.cu:10" in note]


def test_a_program_that_launches_nothing_may_time_its_copies(tmp_path):
    code, findings, notes = checked(tmp_path, 0, 0, 32, 1)
    assert (code, findings) == (0, [])
    assert len(notes) == 3
