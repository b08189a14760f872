// bug: uninitialised (global)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

struct Body {
  float at[3], mass;
  double energy;
};
__global__ void uninitialised_last_struct_filled(Body* bodies) {
  bodies[threadIdx.x].mass = 1;
  bodies[threadIdx.x].energy = 0;
}
__global__ void uninitialised_last_struct(const Body* bodies, double* to) {
  const Body next = bodies[threadIdx.x + 1];  // nothing of the 33rd was written
  to[threadIdx.x] = next.mass;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<Body> bodies(device, 33);
  const device::Buffer<double> to(device, 32);
  run(device, {.block = dim3(32)}, uninitialised_last_struct_filled, bodies.data());
  run(device, {.block = dim3(32)}, uninitialised_last_struct, bodies.data(), to.data());
}
