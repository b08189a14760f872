// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Blocks come once each to the counter of tickets, and then wait until a word of their slot has the
// turn that they ask for: the word itself says that the other block has come, and a word that is
// waited for may have its value at the first look.
__global__ void turns_behind_tickets(unsigned* tickets, volatile int* turns, int* sums) {
  if (threadIdx.x != 0) return;
  const int ticket = static_cast<int>(atomicAdd(tickets, 1));
  const int slots = 4, slot = ticket % slots, turn = ticket / slots;
  while (turns[slot] != turn) {
  }
  __threadfence();
  sums[slot] = 10 * sums[slot] + turn;
  __threadfence();
  turns[slot] = turn + 1;
}

// Each block says that it has come, is counted for the host, and waits for the words of all before.
__global__ void words_before_awaited(volatile int* here, unsigned* come, int* seen) {
  if (threadIdx.x != 0) return;
  here[blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
  atomicAdd(come, 1);
  int sum = 0;
  for (unsigned other = 0; other < blockIdx.x; ++other) {
    int word;
    do word = here[other];
    while (word == 0);
    sum += word;
  }
  seen[blockIdx.x] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto tickets = zeros<unsigned>(device, 1), come = zeros<unsigned>(device, 1);
  const auto turns = zeros(device, 4), sums = zeros(device, 4);
  run(device, {.grid = dim3(12), .block = dim3(32)}, turns_behind_tickets, tickets.data(),
      turns.data(), sums.data());
  expect_each(sums, [](std::size_t) { return 12; });
  const auto here = zeros(device, 5), seen = zeros(device, 5);
  run(device, {.grid = dim3(5), .block = dim3(32)}, words_before_awaited, here.data(), come.data(),
      seen.data());
  expect_each(seen, [](std::size_t i) { return i * (i + 1) / 2; });
}
