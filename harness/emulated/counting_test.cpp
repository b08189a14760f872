#include "harness/emulated/counting.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/device.hpp"
#include "harness/emulated/program_symbols.hpp"
#include "harness/emulated/test/kernels.hpp"

namespace ridgeline::emulated {
namespace counting_test {

constexpr const char* source = "harness/emulated/test/kernels.cu";

const device::SiteCount& only(const device::Counts& counts, const std::string& access) {
  static const device::SiteCount none;
  const auto is = [&](const device::SiteCount& site) { return site.access == access; };
  EXPECT_EQ(std::ranges::count_if(counts.sites, is), 1) << access;
  const auto found = std::ranges::find_if(counts.sites, is);
  return found == counts.sites.end() ? none : *found;
}

/// An emulated GPU with an input and an output of `bytes`.
struct Lab {
  explicit Lab(std::size_t bytes) : from(device->allocate(bytes)), to(device->allocate(bytes)) {
    device->fill(from, DType::f32, bytes / 4, device::Distribution::uniform, 1, 0);
  }
  std::unique_ptr<device::Device> device = device::open("emulated:sm_90");
  void *from, *to;
  const float* input() const { return static_cast<const float*>(from); }
  float* output() const { return static_cast<float*>(to); }
  device::Counts counts() const {
    device->synchronize();
    return device->take_counts();
  }
};

TEST(Counting, GivesEachAccessOfTheSource) {
  const Lab lab(std::size_t{64} * 64 * 4);
  test::transpose(lab.device->stream(), lab.input(), lab.output(), 64, test::Transpose::padded);
  const device::Counts counts = lab.counts();
  EXPECT_EQ(counts.launches, 1u);
  EXPECT_EQ(counts.threads, 4u * 256);
  EXPECT_EQ(counts.barriers, 4u);
  ASSERT_EQ(counts.sites.size(), 4u);
  for (const device::SiteCount& site : counts.sites) {
    EXPECT_EQ(site.kernel, "transpose_kernel<1, true>");
    EXPECT_EQ(site.file, source);
    EXPECT_EQ(site.lane_bytes, 4);
    EXPECT_EQ(site.requests, 128u);
    EXPECT_EQ(site.lanes, 4096u);
    EXPECT_EQ(site.sectors, site.access.starts_with("global") ? 512u : 0u);
    EXPECT_EQ(site.wavefronts, site.access.starts_with("shared") ? 128u : 0u);
  }
  const int first = only(counts, "global load").line;
  EXPECT_GT(first, 0);
  EXPECT_EQ(only(counts, "shared store").line, first);
  EXPECT_EQ(only(counts, "shared load").line, first + 2);
  EXPECT_EQ(only(counts, "global store").line, first + 2);
}

TEST(Counting, AddsUpLaunchesUntilItIsAsked) {
  const Lab lab(std::size_t{4096} * 4);
  for (int i = 0; i < 3; ++i)
    test::copy_strided(lab.device->stream(), lab.input(), lab.output(), 4096, 1);
  const device::Counts counts = lab.counts();
  EXPECT_EQ(counts.launches, 3u);
  EXPECT_EQ(only(counts, "global load").requests, 3u * 128);
  ASSERT_EQ(counts.kernels.size(), 1u);
  EXPECT_EQ(counts.kernels[0].launches, 3u);
  const device::Counts nothing = lab.counts();
  EXPECT_EQ(nothing.launches, 0u);
  EXPECT_TRUE(nothing.sites.empty());
}

TEST(Counting, TellsAsynchronousCopiesAtomicsAndTensorCoresApart) {
  const Lab lab(512);
  test::copy_async(lab.device->stream(), lab.input(), lab.output());
  const device::Counts counts = lab.counts();
  EXPECT_EQ(only(counts, "global async copy").lanes, 16u);
  EXPECT_EQ(only(counts, "global async copy").sectors, 8u);
  EXPECT_EQ(only(counts, "shared async copy").lanes, 32u);
  EXPECT_EQ(only(counts, "shared async copy").wavefronts, 4u);
  EXPECT_EQ(only(counts, "shared async copy").file, source);
  EXPECT_EQ(only(counts, "shared async copy").line, only(counts, "global async copy").line);
  lab.device->fill(lab.to, DType::f32, 1, device::Distribution::zeros, 1, 0);
  test::count_atomically(lab.device->stream(), 5, static_cast<unsigned*>(lab.to));
  EXPECT_EQ(only(lab.counts(), "global atomic").requests, 5u);
  const auto* const halves = static_cast<const unsigned short*>(lab.from);
  test::multiply_tile(lab.device->stream(), halves, halves, lab.output());
  EXPECT_EQ(only(lab.counts(), "tensor").requests, 1u);
}

TEST(Counting, NamesTheLineOfAnAccessInAFunction) {
  const Lab lab(std::size_t{2048} * 4);
  test::ragged(lab.device->stream(), lab.input(), lab.output(), true);
  const device::Counts counts = lab.counts();
  std::vector<const device::SiteCount*> loads;
  for (const device::SiteCount& site : counts.sites)
    if (site.access == "global load") loads.push_back(&site);
  ASSERT_EQ(loads.size(), 2u);
  for (const device::SiteCount* const load : loads) {
    EXPECT_EQ(load->kernel, "ragged_kernel<true>");
    EXPECT_EQ(load->file, source);
  }
  EXPECT_EQ(loads[0]->requests, 8u) << "behind the loop";
  EXPECT_EQ(loads[1]->requests, 8u * 32) << "in a function that stands behind the kernel";
}

TEST(Counting, NamesKernelsWithTheirLaunches) {
  const Lab lab(std::size_t{64} * 64 * 4);
  test::transpose(lab.device->stream(), lab.input(), lab.output(), 64, test::Transpose::padded);
  const device::Counts counts = lab.counts();
  ASSERT_EQ(counts.kernels.size(), 1u);
  const device::LaunchCount& kernel = counts.kernels[0];
  EXPECT_EQ(kernel.kernel, "emulated::test::transpose_kernel<1, true>");
  EXPECT_EQ(kernel.file, source);
  EXPECT_EQ(kernel.launches, 1u);
  EXPECT_EQ(kernel.grid, (std::array<unsigned, 3>{2, 2, 1}));
  EXPECT_EQ(kernel.block[0] * kernel.block[1] * kernel.block[2], 256u);
  EXPECT_EQ(kernel.dynamic_shared_bytes, 0u);
  EXPECT_FALSE(kernel.resources) << "this program links no table";
}

TEST(Counting, GivesBytesOfDramAndInFlight) {
  const Lab lab(std::size_t{64} * 64 * 4);
  test::transpose(lab.device->stream(), lab.input(), lab.output(), 64, test::Transpose::plain);
  const device::Counts transposed = lab.counts();
  EXPECT_EQ(transposed.dram_read_bytes, 64u * 64 * 4);
  EXPECT_EQ(transposed.dram_written_bytes, 64u * 64 * 4);
  EXPECT_EQ(transposed.bytes_in_flight_per_warp, 128u)
      << "each load goes to shared memory before the next one";
  test::copy_async(lab.device->stream(), lab.input(), lab.output());
  EXPECT_EQ(lab.counts().bytes_in_flight_per_warp, 256u) << "16 lanes copy 16 bytes";
  test::multiply(lab.device->stream(), lab.input(), lab.input(), lab.output(), 64);
  const device::Counts multiplied = lab.counts();
  EXPECT_EQ(multiplied.dram_read_bytes, 64u * 64 * 4)
      << "each element once, however often it is used";
}

TEST(Counting, LeavesWrongLaunchesOut) {
  const Lab lab(512);
  test::copy_async(lab.device->stream(), lab.input(), lab.output());
  test::make(lab.device->stream(), test::Mistake::reads_unwritten_shared, lab.input(),
             lab.output());
  EXPECT_THROW(lab.device->synchronize(), Error);
  EXPECT_EQ(lab.device->take_counts().launches, 1u);
}

TEST(Symbols, HavePlainNames) {
  EXPECT_EQ(plain_name("void a::(anonymous namespace)::copy<4, (a::Kind)1>(float const*, int)"),
            "copy<4, (a::Kind)1>");
  EXPECT_EQ(plain_name("a::(anonymous namespace)::copy(void (*)(int))::tile"), "tile");
  EXPECT_EQ(plain_name("a::B::of(int) const"), "of");
  EXPECT_EQ(plain_name("main"), "main");
}

}  // namespace counting_test
}  // namespace ridgeline::emulated
