// theoretical_occupancy() beside NVIDIA's own calculator, which CUDA ships as a header.

#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include "harness/device/occupancy.hpp"
#include "harness/emulated/emulated_device.hpp"
#include "harness/emulated/limits.hpp"

namespace ridgeline::emulated {
namespace occupancy_rules_test {

int calculated(const device::Facts& facts, const device::KernelResources& kernel, int threads,
               std::size_t dynamic_shared) {
  cudaOccDeviceProp device;
  device.computeMajor = facts.capability / 10;
  device.computeMinor = facts.capability % 10;
  device.maxThreadsPerBlock = facts.max_threads_per_block;
  device.maxThreadsPerMultiprocessor = facts.max_threads_per_unit;
  device.regsPerBlock = device.regsPerMultiprocessor = facts.registers_per_unit;
  device.warpSize = facts.warp_size;
  device.sharedMemPerBlock = 48 << 10;
  device.sharedMemPerMultiprocessor = facts.shared_per_unit;
  device.sharedMemPerBlockOptin = facts.shared_per_block;
  device.reservedSharedMemPerBlock = 1024;
  device.numSms = facts.units;
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = facts.max_threads_per_block;
  function.numRegs = kernel.registers;
  function.sharedSizeBytes = kernel.static_shared_bytes;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = facts.shared_per_block - kernel.static_shared_bytes;
  function.numBlockBarriers = 1;
  cudaOccDeviceState state;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &device, &function, &state, threads, dynamic_shared);
  EXPECT_EQ(error, CUDA_OCC_SUCCESS);
  return result.activeBlocksPerMultiprocessor;
}

TEST(OccupancyRules, AreThoseOfNvidiasCalculator) {
  int compared = 0;
  for (const int capability : {80, 90}) {
    const device::Facts device = facts(limits_of(*catalogue::architecture(capability)));
    for (const int threads : {1, 32, 33, 96, 128, 160, 192, 256, 384, 512, 640, 768, 1024})
      for (int registers = 16; registers <= 255; registers += registers < 128 ? 1 : 7)
        for (const std::uint64_t fixed : {0u, 1u, 4096u, 33000u})
          for (const std::size_t dynamic : {0, 100, 8192, 20000, 65536, 120000}) {
            const device::KernelResources kernel{.registers = registers,
                                                 .static_shared_bytes = fixed};
            ASSERT_EQ(device::theoretical_occupancy(device, kernel, threads, dynamic).blocks,
                      calculated(device, kernel, threads, dynamic))
                << capability << ": " << threads << " threads, " << registers << " registers, "
                << fixed << " + " << dynamic << " B";
            ++compared;
          }
  }
  EXPECT_GT(compared, 80'000);
}

}  // namespace occupancy_rules_test
}  // namespace ridgeline::emulated
