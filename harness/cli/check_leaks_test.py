"""`ridgeline check --leaks`: device memory that a program has not freed at its end."""

import json

from harness.cli.checked_programs import check

LEAKS = r"""
__global__ void put(int* to) { *to = 1; }
int main() {
  for (int i = 0; i < 3; ++i) {
    int* kept;
    cudaMalloc(&kept, 1 << 20);
    put<<<1, 1>>>(kept);
  }
  int *freed, *shared, *pinned;
  cudaMalloc(&freed, 4); cudaMallocHost(&pinned, 4);
  cudaMallocManaged(&shared, 12);
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 8, 2);
  cudaFree(freed);
  if (STOPS) put<<<1, 1>>>(nullptr);
  return 0;
}
"""


def test_leaks_are_told_where_they_are_asked_for(tmp_path):
    program = tmp_path / "leaks.cu"
    program.write_text(LEAKS)
    done = check(tmp_path, program, "-D", "STOPS=0", "--leaks", "--json")
    assert done.returncode == 2, done.stdout + done.stderr
    found = json.loads(done.stdout)["findings"]
    assert {(each["check"], each["line"]) for each in found} == {
        ("leak", 6),
        ("leak", 11),
        ("leak", 14),
    }, found
    texts = "\n".join(each["text"] for each in found)
    assert "3 allocations, of 3145728 bytes together" in texts and "of 12 bytes" in texts, texts
    assert "of 64 bytes" in texts, texts

    done = check(tmp_path, program, "-D", "STOPS=0")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_program_that_was_stopped_is_not_accused_of_leaks(tmp_path):
    program = tmp_path / "stopped.cu"
    program.write_text(LEAKS)
    done = check(tmp_path, program, "-D", "STOPS=1", "--leaks", "--json")
    found = json.loads(done.stdout)["findings"]
    assert [each["check"] for each in found] == ["null pointer"], found
