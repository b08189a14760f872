#include "harness/outside/suite.hpp"

using namespace ridgeline::outside;

// What is measured: y = 2 x of n floats, on the CPU and by kernel.cu.
static void twice(const float* x, float* y, std::int64_t n) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];
}
void twice(const float* x, float* y, std::int64_t n, Stream& stream);

void ridgeline::outside::cases(Suite& suite) {
  suite.question = "How near to a copy is doubling?";
  const auto expected = [](const Inputs& in, std::int64_t i) { return 2 * in(0, i); };
  for (const std::int64_t n : {1000, 100'000}) {
    suite.add({.variant = "loop",
               .problem = {{"n", n}},
               .inputs = {{n}},
               .outputs = {{n, expected}},
               .launch = [=](const Execution& on) { twice(on.in<float>(0), on.out<float>(0), n); },
               .flops = 1.0 * n,
               .bytes = 8.0 * n});
#ifdef RIDGELINE_CUDA  // kernel.cu is part of this program
    suite.add(
        {.variant = "grid",
         .problem = {{"n", n}},
         .device = Kind::cuda,
         .inputs = {{n}},
         .outputs = {{n, expected}},
         .launch =
             [=](const Execution& on) { twice(on.in<float>(0), on.out<float>(0), n, on.stream); },
         .bytes = 8.0 * n});
#endif
  }
}
