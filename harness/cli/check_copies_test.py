"""What `ridgeline check` says of copies of structs of which a part was never written."""

import json
import re

from harness.cli.checked_programs import check

TYPES = r"""
#include <utility>
#include <cuda_fp16.h>
struct Sample { float weight; double value; };
struct Tagged { char tag; int value; };
struct Flags { int low : 3, high : 20; char kind; int more; };
struct Row { int v[6]; };
struct Pack { float v[4]; };
struct Base {};
struct Derived : Base { char kind; int value; };
union Either { char kind; int value; };
using Pair = std::pair<char, int>;
struct Mixed { Sample sample; float4 vector; };
using Duo = float2;
template <class Whole> __device__ Whole whole(const Whole* from) { return *from; }
"""

# Kernels of one type: TYPE is filled in part by FILL, and copied by COPY in a line of its own.
KERNELS = """
__global__ void fill_NAME(TYPE* to) { TYPE& at = to[threadIdx.x]; FILL; }
__global__ void copy_NAME(TYPE* to, const TYPE* from) {
  const int i = threadIdx.x;
  COPY;
}
__global__ void shared_NAME(TYPE* to) {
  __shared__ TYPE from[33];
  { TYPE& at = from[threadIdx.x]; FILL; }
  __syncthreads();
  const int i = threadIdx.x;
  COPY;
}
void run_NAME() {
  TYPE *from, *to;
  cudaMalloc(&from, 33 * sizeof(TYPE));
  cudaMalloc(&to, 33 * sizeof(TYPE));
  fill_NAME<<<1, 32>>>(from);
  copy_NAME<<<1, 32>>>(to, from);
  shared_NAME<<<1, 32>>>(to);
}
"""

WHOLE = "TYPE mine = from[i]; to[threadIdx.x] = mine"
# Of each type what is written, so that some of its bytes are not.
STRUCTS = {
    "Sample": "at.weight = 1; at.value = 2",
    "Tagged": "at.tag = 1; at.value = 2",
    "Flags": "at.low = 1; at.kind = 2",
    "Row": "at.v[4] = 1",
    "Pack": "at.v[1] = 1",
    "Derived": "at.kind = 1; at.value = 2",
    "Either": "at.kind = 1",
    "Mixed": "at.sample.value = 1; at.vector.x = 1",
}
VECTORS = {
    "float4": "at.x = at.y = at.z = 1",
    "float3": "at.x = at.y = 1",
    "int2": "at.x = 1",
    "double2": "at.y = 1",
    "uchar4": "at.x = 1",
    "__half2": "*reinterpret_cast<__half*>(&at) = __float2half(1)",
}


def said(folder, cases):
    """Of {name: (type, fill, copy)}: the exit code, and the names in each list of findings and
    notes, as "global NAME"."""
    source = TYPES
    for name, (kind, fill, copy) in cases.items():
        kernels = KERNELS
        for word, by in (("FILL", fill), ("COPY", copy), ("TYPE", kind), ("NAME", name)):
            kernels = kernels.replace(word, by)
        source += kernels
    calls = " ".join(f"run_{name}();" for name in cases)
    (folder / "copies.cu").write_text(
        f"{source}int main() {{ {calls} return cudaDeviceSynchronize(); }}\n"
    )
    done = check(folder, "copies.cu", "--json")
    told = json.loads(done.stdout)
    word = re.compile(r"uninitialised \((global|shared)\) in (?:copy|shared)_(\w+) at")
    assert all(word.match(found["text"]) for found in told["findings"]), told["findings"]
    assert all("of which others were written" in note for note in told["notes"]), told["notes"]
    names = [
        sorted(" ".join(word.match(text).groups()) for text in texts)
        for texts in ([found["text"] for found in told["findings"]], told["notes"])
    ]
    return done.returncode, *names


def both(names):
    return sorted(f"{where} {name}" for where in ("global", "shared") for name in names)


def test_a_copy_of_a_struct_that_was_written_in_part_is_a_note(tmp_path):
    cases = {name: (name, fill, WHOLE) for name, fill in STRUCTS.items()}
    cases["Pair"] = (
        "Pair",
        "at.first = 1; at.second = 2",
        "TYPE one = from[i]; to[i].first = one.first",
    )
    cases["to_memory"] = ("Sample", STRUCTS["Sample"], "to[threadIdx.x] = from[i]")
    cases["read_by_a_function"] = ("Pack", STRUCTS["Pack"], "to[i].v[0] = whole(from + i).v[1]")
    assert said(tmp_path, cases) == (0, [], both(cases))


def test_a_vector_that_was_written_in_part_is_a_mistake(tmp_path):
    cases = {name: (name, fill, WHOLE) for name, fill in VECTORS.items()}
    cases["by_a_name"] = ("float2", "at.x = 1", "Duo mine = from[i]; to[threadIdx.x] = mine")
    cases["in_a_struct"] = ("Mixed", STRUCTS["Mixed"], "to[i].vector = from[i].vector")
    assert said(tmp_path, cases) == (2, both(cases), [])


def test_what_was_not_written_at_all_is_a_mistake(tmp_path):
    cases = {
        name: (name, STRUCTS[name], "to[threadIdx.x] = from[i + 1]")
        for name in ("Sample", "Row", "Flags")
    }
    code, found, notes = said(tmp_path, cases)
    assert (code, found, notes) == (2, both(cases), both(cases)), "notes are of the other threads"
    cases = {"member": ("Sample", "at.weight = 1", "to[threadIdx.x].value = from[i].value")}
    assert said(tmp_path, cases) == (2, both(cases), [])


def test_one_function_may_read_structs_and_vectors(tmp_path):
    copy = "to[i].v[0] = whole(from + i).v[1]"
    vector = "to[i].v[2] = whole(reinterpret_cast<const float4*>(from) + i).y"
    cases = {"mixed": ("Pack", STRUCTS["Pack"], f"{copy}; {vector}")}
    assert said(tmp_path, cases) == (2, both(cases), both(cases))


def test_what_was_copied_counts_as_written(tmp_path):
    copy = f"to = const_cast<TYPE*>(from); {WHOLE}; TYPE other = to[i]; to[i].weight = other.weight"
    cases = {"copied": ("Sample", "at.value = 1", copy)}
    assert said(tmp_path, cases) == (0, [], both(cases))
