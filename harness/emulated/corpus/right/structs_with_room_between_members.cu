// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Of each some bytes are never written: room between members, and members that nobody needs.
struct Sample {
  float weight;
  double value, error;
};
struct Tagged {
  char tag;
  int value;
};
struct StateWithExtra {
  unsigned words[5];
  int has_extra;
  float extra;
  double sum;
};
struct EmptyBase {};
struct FlagsInBits : EmptyBase {
  int low : 3, high : 20;
  char kind;
};
struct AllWithRoom {
  Sample sample;
  Tagged tagged;
  StateWithExtra state;
  FlagsInBits flags;
};

__device__ void begin_all(AllWithRoom& at, int i) {
  at.sample.weight = 1;
  at.sample.value = at.sample.error = i;
  at.tagged.tag = 'a';
  at.tagged.value = i;
  for (unsigned& word : at.state.words) word = 1;
  at.state.has_extra = 0;
  at.state.sum = i;
  at.flags.low = 1;
  at.flags.high = 2;
  at.flags.kind = 'b';
}
template <class T>
__device__ T read_whole(const T* from) {
  return *from;
}

__global__ void structs_are_filled(AllWithRoom* all) {
  begin_all(all[threadIdx.x], static_cast<int>(threadIdx.x));
}
__global__ void structs_with_room_between_members(AllWithRoom* all, double* to) {
  __shared__ AllWithRoom tile[32];
  const int i = static_cast<int>(threadIdx.x);
  begin_all(tile[i], i);
  __syncthreads();
  const Sample sample = read_whole(&all[i].sample), near = read_whole(&tile[31 - i].sample);
  const Tagged tagged = read_whole(&all[i].tagged), near_tagged = tile[31 - i].tagged;
  StateWithExtra state = all[i].state;
  const FlagsInBits flags = all[i].flags;
  state.sum += state.has_extra != 0 ? state.extra : state.words[4];
  all[i].state = state;
  AllWithRoom whole = all[i];
  const AllWithRoom near_whole = tile[31 - i];
  whole.sample.value += near_whole.sample.value;
  all[i] = whole;
  to[i] = sample.value + near.value + tagged.value + near_tagged.value + state.sum + flags.high +
          whole.sample.value;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<AllWithRoom> all(device, 32);
  const device::Buffer<double> to(device, 32);
  run(device, {.block = dim3(32)}, structs_are_filled, all.data());
  run(device, {.block = dim3(32)}, structs_with_room_between_members, all.data(), to.data());
  device::expect(to.download()[3] == 3 + 28 + 3 + 28 + 4 + 2 + 31, "of the third");
}
