#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "harness/device/buffer.hpp"
#include "harness/device/fake/fake_device.hpp"
#include "harness/measure/measure.hpp"

namespace ridgeline::measure {
namespace memory_test {

TEST(Experiment, MemoryIsSampledWithoutWhatIsThereToRotateOver) {
  for (const bool filled : {false, true}) {  // the pool, by a case before
    device::FakeDevice device;
    InputPool inputs(device, 1);
    Group alone;
    if (filled) {
      inputs.take(DType::f32, device::Distribution::uniform, 1 << 21);
      inputs.rewind();
    }
    PrepareOptions options;
    options.warmup_budget_ns = 1e6;
    std::shared_ptr<device::Buffer<std::byte>> taken_by_a_library, taken_by_an_oracle;
    Experiment experiment(
        [&](measure::Setup& setup) {
          for (int set = 0; set < 2; ++set)
            setup.inputs.take(DType::f32, device::Distribution::uniform, 1 << 10);
          const auto output = std::make_shared<device::Buffer<float>>(setup.device, 1 << 11);
          Workload workload;
          workload.sets = {2, 1};
          workload.spare_bytes = 4 << 10;
          workload.samples_memory = true;
          workload.launch = [&, output](Turn, device::Stream&) {
            if (!taken_by_a_library)
              taken_by_a_library = std::make_shared<device::Buffer<std::byte>>(device, 1 << 16);
          };
          workload.poison = [](std::size_t) {};
          workload.verify = [&](Turn) {
            if (!taken_by_an_oracle)
              taken_by_an_oracle = std::make_shared<device::Buffer<std::byte>>(device, 1 << 18);
            return record::Verification{0, 1};
          };
          return workload;
        },
        measure::Setup{device, inputs, alone}, options);
    experiment.sample({0.01, 6, 6, 1e9});
    const record::Measurement measured = experiment.finish();
    ASSERT_EQ(measured.metrics.size(), 1u);
    EXPECT_EQ(measured.metrics[0].name, "allocated_bytes");
    EXPECT_EQ(measured.metrics[0].value, (4 << 10) + (8 << 10) + (1 << 16)) << filled;
    taken_by_a_library.reset();
    taken_by_an_oracle.reset();
  }
}

TEST(Experiment, MemoryThatAnotherProgramHasFreedMeanwhileLeavesNothingToSay) {
  device::FakeDevice device;
  InputPool inputs(device, 1);
  Group alone;
  auto of_another_program = std::make_shared<device::Buffer<std::byte>>(device, 1 << 20);
  PrepareOptions options;
  options.warmup_budget_ns = 1e6;
  Experiment experiment(
      [&](measure::Setup&) {
        Workload workload;
        workload.samples_memory = true;
        workload.launch = [&](Turn, device::Stream&) { of_another_program.reset(); };
        workload.poison = [](std::size_t) {};
        workload.verify = [](Turn) { return record::Verification{0, 1}; };
        return workload;
      },
      measure::Setup{device, inputs, alone}, options);
  experiment.sample({0.01, 6, 6, 1e9});
  EXPECT_TRUE(experiment.finish().metrics.empty());
}

/// A fake device that allocates from the start of its memory to the end.
class ArenaDevice final : public device::FakeDevice {
 public:
  void* allocate(std::size_t bytes) override {
    used_ += (bytes + 255) / 256 * 256;
    return arena_.data() + used_ - (bytes + 255) / 256 * 256;
  }
  void release(void*) noexcept override { ++released; }
  std::ptrdiff_t place(const void* memory) const {
    return static_cast<const std::byte*>(memory) - arena_.data();
  }
  int released = 0;

 private:
  std::vector<std::byte> arena_ = std::vector<std::byte>(1u << 20);
  std::size_t used_ = 0;
};

TEST(Experiment, ALayoutMovesTheBuffersOfACaseWhileItLives) {
  EXPECT_EQ(layout_bytes(0), 0u);
  EXPECT_EQ(layout_bytes(1), 512u);
  EXPECT_EQ(layout_bytes(255), 65536u);
  EXPECT_EQ(layout_bytes(256 + 7), layout_bytes(7));
  for (const std::uint64_t layout : {0, 1, 255, 1000}) {
    ArenaDevice device;
    InputPool inputs(device, 1);
    Group alone;
    PrepareOptions options;
    options.warmup_budget_ns = 1e6;
    options.layout = layout;
    std::ptrdiff_t place = -1;
    std::uint64_t told = 1;
    {
      const Experiment experiment(
          [&](measure::Setup& setup) {
            told = setup.layout;
            auto output = std::make_shared<device::Buffer<float>>(setup.device, 4);
            place = device.place(output->data());
            Workload workload;
            workload.launch = [output](Turn, device::Stream&) {};
            workload.poison = [](std::size_t) {};
            workload.verify = [](Turn) { return record::Verification{0, 1}; };
            return workload;
          },
          measure::Setup{device, inputs, alone}, options);
      EXPECT_EQ(device.released, 0);
    }
    EXPECT_EQ(told, layout);
    EXPECT_EQ(place, static_cast<std::ptrdiff_t>(layout_bytes(layout)));
    EXPECT_EQ(device.released, layout == 0 ? 1 : 2);
  }
}

}  // namespace memory_test
}  // namespace ridgeline::measure
