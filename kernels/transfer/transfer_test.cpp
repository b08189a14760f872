#include "kernels/transfer/transfer.hpp"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/test_device.hpp"

namespace ridgeline::transfer {
namespace transfer_test {

using kernels::GuardedOutput;

constexpr std::int64_t sizes[] = {1, 2, 31, 1023, 1024, 1025, 1'000'003};

class EveryVariant : public kernels::VariantTest<Variant> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryVariant);  // a build without CUDA has none

std::vector<float> numbers(std::int64_t count) {
  std::vector<float> made(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<float>(i % 8191) + 0.5f;
  return made;
}

TEST_P(EveryVariant, BringsAllFloatsToTheDevice) {
  const Variant& variant = GetParam().variant;
  for (const std::int64_t elements : sizes) {
    const Problem problem{Direction::to_device, elements};
    ASSERT_TRUE(variant.supports(problem, device->facts()));
    const std::vector<float> sent = numbers(elements);
    const auto host = variant.allocate(sent.size());
    std::ranges::copy(sent, host.get());
    const GuardedOutput arrived(*device, sent.size() * sizeof(float));
    variant.launch(problem, {host.get(), static_cast<float*>(arrived.data())}, device->stream());
    device->synchronize();
    std::vector<float> found(sent.size());
    device->download(found.data(), arrived.data(), sent.size() * sizeof(float));
    EXPECT_EQ(found, sent) << elements;
    EXPECT_TRUE(arrived.guard_untouched()) << elements << " elements: wrote beyond the end";
  }
}

TEST_P(EveryVariant, BringsAllFloatsToTheHost) {
  const Variant& variant = GetParam().variant;
  for (const std::int64_t elements : sizes) {
    const Problem problem{Direction::to_host, elements};
    ASSERT_TRUE(variant.supports(problem, device->facts()));
    const std::vector<float> sent = numbers(elements);
    const device::Buffer<float> from(*device, sent);
    const auto host = variant.allocate(sent.size() + 1);
    host.get()[sent.size()] = -1;
    variant.launch(problem, {host.get(), from.data()}, device->stream());
    device->synchronize();
    EXPECT_TRUE(std::equal(sent.begin(), sent.end(), host.get())) << elements;
    EXPECT_EQ(host.get()[sent.size()], -1) << elements << " elements: wrote beyond the end";
  }
}

INSTANTIATE_TEST_SUITE_P(Transfer, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

TEST(Pages, AreTouchedBeforeTheyAreTimed) {
  for (const auto& named : variants()) {
    if (named.name != "pageable") continue;  // others need a driver
    const auto pages = named.variant.allocate(4096);
    EXPECT_EQ(pages.get()[0], 0);
    EXPECT_EQ(pages.get()[4095], 0);
  }
}

TEST(Variants, OneOfThemMeasuresTheLink) {
  const auto all = variants();
  if (all.empty()) GTEST_SKIP() << "a build without CUDA has none";
  EXPECT_EQ(
      std::ranges::count_if(all, [](const auto& named) { return named.variant.measures_link; }), 1);
}

TEST(Problem, CountsTheBytesOfTheLinkOnce) {
  EXPECT_EQ((Problem{Direction::to_host, 1000}.bytes()), 4000);
  EXPECT_EQ(to_string(Direction::to_host), "to_host");
  EXPECT_EQ(to_string(Direction::to_device), "to_device");
}

}  // namespace transfer_test
}  // namespace ridgeline::transfer
