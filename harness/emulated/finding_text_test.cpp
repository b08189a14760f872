#include "harness/emulated/finding_text.hpp"

#include <functional>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/device/buffer.hpp"
#include "harness/device/device.hpp"
#include "harness/device/failure.hpp"
#include "harness/emulated/test/kernels.hpp"

namespace ridgeline::emulated {
namespace finding_text_test {

/// What synchronize() throws as a mistake after `launches`; empty when it throws nothing.
struct Thrown {
  std::string text, advice;
};
Thrown thrown(const std::function<void(device::Device&)>& launches) {
  const auto device = device::open("emulated:sm_90");
  try {
    launches(*device);
    device->synchronize();
  } catch (const device::KernelMistake& mistake) {
    return {mistake.what(), mistake.advice()};
  }
  return {};
}

/// Compares with lines written as "line N", since kernels move.
std::string without_lines(const std::string& text) {
  return std::regex_replace(text, std::regex("[^ ]*(harness/emulated/test/[a-z_]+\\.cu):[0-9]+"),
                            "$1:N");
}

TEST(FindingText, NamesTheKernelTheThreadAndTheArgument) {
  const Thrown found = thrown([](device::Device& device) {
    const device::Buffer<float> from(device, std::vector<float>(128, 1)), to(device, 128);
    test::make(device.stream(), test::Mistake::reads_behind_the_end, from.data(), to.data());
  });
  EXPECT_EQ(without_lines(found.text),
            "out of bounds (global) in mistake_kernel at harness/emulated/test/kernels.cu:N: "
            "thread 127 of block "
            "0: from, argument 2: buffer 1 of 512 bytes + 512");
}

TEST(FindingText, NamesSharedVariablesAndIndicesOfMoreDimensions) {
  const Thrown found = thrown([](device::Device& device) {
    const device::Buffer<float> from(device, std::vector<float>(4096, 1)), to(device, 4096);
    test::transpose(device.stream(), from.data(), to.data(), 64, test::Transpose::without_barrier);
  });
  EXPECT_EQ(
      without_lines(found.text),
      "race (write after read) in transpose_kernel<1, false> at "
      "harness/emulated/test/kernels.cu:N: thread "
      "(0, 1, 0) of block (0, 0, 0), with thread (1, 0, 0): tile of 4224 bytes + 132 (index 33 of "
      "elements of 4 bytes) (1792 times)");
  EXPECT_EQ(without_lines(found.advice),
            "also found: race (read after write) at harness/emulated/test/kernels.cu:N; "
            "uninitialised (shared) at "
            "harness/emulated/test/kernels.cu:N");
}

TEST(FindingText, ARaceBetweenBlocksNamesBothThreadsWithTheirBlocks) {
  const Thrown found = thrown([](device::Device& device) {
    const device::Buffer<float> from(device, std::vector<float>(128, 1)), to(device, 128);
    test::make(device.stream(), test::Mistake::two_blocks_write_one_word, from.data(), to.data());
  });
  // Blocks run side by side: either may be the first.
  std::smatch blocks;
  const std::regex words(
      ": thread ([0-9]+) of block ([0-9]+), with thread ([0-9]+) of block ([0-9]+): ");
  ASSERT_TRUE(std::regex_search(found.text, blocks, words)) << found.text;
  EXPECT_EQ(blocks[1], blocks[3]) << found.text;
  EXPECT_NE(blocks[2], blocks[4]) << found.text;
}

TEST(FindingText, ARefusedLaunchIsAMistakeOfItsKernelAlone) {
  const Thrown found = thrown([](device::Device& device) {
    const device::Buffer<float> to(device, 128);
    test::fill_shared(device.stream(), 227 << 10, to.data());
  });
  EXPECT_EQ(without_lines(found.text),
            "too much shared memory in fill_shared_kernel at harness/emulated/test/kernels.cu:N: "
            "232848 bytes, "
            "232448 of them dynamic; a block has 232448");
  const auto device = device::open("emulated:sm_80");
  const device::Buffer<float> to(*device, 128);
  test::fill_shared(device->stream(), 200 << 10, to.data());
  EXPECT_THROW(device->synchronize(), device::KernelMistake) << "more than an A100 has";
  test::fill_shared(device->stream(), 512, to.data());
  EXPECT_NO_THROW(device->synchronize());
}

TEST(FindingText, ADeadlockIsToldFromEveryPlaceThatWaits) {
  const Thrown found = thrown([](device::Device& device) {
    const device::Buffer<float> to(device, 96);
    test::wait_for_each_other(device.stream(), to.data());
  });
  EXPECT_EQ(without_lines(found.text),
            "deadlock in wait_for_each_other_kernel at harness/emulated/test/kernels.cu:N: thread "
            "48 of block 0: "
            "a warp's lanes 0xffffffff are waited for, and 0x0000ffff of them never come: 16 wait "
            "elsewhere (16 "
            "threads)");
  const std::string barrier =
      "deadlock at harness/emulated/test/kernels.cu:N: waits for threads of its block: of 96, 48 "
      "have come, 32 "
      "have ended, 16 wait elsewhere (threads 48 to 63)";
  EXPECT_EQ(without_lines(found.advice), "also found: " + barrier + "; " + barrier);
}

TEST(FindingText, ASoundKernelThrowsNothing) {
  EXPECT_EQ(thrown([](device::Device& device) {
              const device::Buffer<float> from(device, std::vector<float>(4096, 1)),
                  to(device, 4096);
              test::transpose(device.stream(), from.data(), to.data(), 64, test::Transpose::padded);
            }).text,
            "");
}

TEST(FindingText, WhatIsNotModelledIsNoMistake) {
  Report report;
  report.findings.push_back(
      {.check = "unsupported", .block = 0, .thread = 0, .detail = "griddepcontrol"});
  try {
    throw_findings(report);
    FAIL() << "nothing was thrown";
  } catch (const device::Unsupported& unsupported) {
    EXPECT_STREQ(unsupported.what(), "unsupported: griddepcontrol");
  }
}

}  // namespace finding_text_test
}  // namespace ridgeline::emulated
