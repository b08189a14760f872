#include "harness/device/nvml/links.hpp"

#include <cstdio>

#include <gtest/gtest.h>

namespace ridgeline::device::nvml {
namespace links_test {

using Facts = std::map<std::string, std::string>;

constexpr Status not_supported = 3, invalid_argument = 2;

/// NVML as it answers of a GPU with four NVLinks, of which link 2 is down, on PCI Express 5.
/// Of a driver that knows one of the fields alone.
template <unsigned field>
Status answers(Handle, int count, FieldValue* values) {
  EXPECT_EQ(count, 1);
  EXPECT_NE(values->scope, 2u) << "of a link that is down";
  values->status = values->field == field ? 0 : not_supported;
  values->value_type = unsigned_int;
  values->value.number = values->field == field ? 26562 : 7;
  return 0;
}

Api played() {
  Api nvml{};
  nvml.pcie_generation = [](Handle, unsigned* value) { return *value = 5, Status{0}; };
  nvml.pcie_lanes = [](Handle, unsigned* value) { return *value = 16, Status{0}; };
  nvml.pcie_generation_now = [](Handle, unsigned* value) { return *value = 1, Status{0}; };
  nvml.pcie_lanes_now = [](Handle, unsigned* value) { return *value = 8, Status{0}; };
  nvml.nvlink_state = [](Handle, unsigned link, int* is_active) {
    if (link >= 4) return invalid_argument;
    *is_active = link != 2;
    return Status{0};
  };
  nvml.nvlink_remote = [](Handle, unsigned link, PciInfo* end) {
    std::snprintf(end->bus_id, sizeof end->bus_id, "%s", link == 0 ? "0000:1b" : "0000:1c");
    return Status{0};
  };
  nvml.field_values = answers<164>;
  return nvml;
}

TEST(Links, AreThoseThatCarryData) {
  EXPECT_EQ(links(played(), nullptr), (Facts{{"pcie", "5 x16"},
                                             {"pcie_now", "1 x8"},
                                             {"nvlink", "3 x 26562 MB/s"},
                                             {"nvlink_to", "0000:1b x1, 0000:1c x2"}}));
}

TEST(Links, HaveTheRateThatAnOlderDriverKnows) {
  Api nvml = played();
  nvml.field_values = answers<90>;
  EXPECT_EQ(links(nvml, nullptr).at("nvlink"), "3 x 26562 MB/s");
}

TEST(Links, WithoutARateAreOnlyCounted) {
  for (const auto refuse : {+[](Handle, int, FieldValue*) { return not_supported; },
                            +[](Handle, int, FieldValue* values) {
                              values->status = not_supported;
                              values->value_type = unsigned_int;
                              values->value.number = 7;
                              return Status{0};
                            }}) {
    Api nvml = played();
    nvml.field_values = refuse;
    EXPECT_EQ(links(nvml, nullptr).at("nvlink"), "3 active");
  }
}

TEST(Links, ThatAreAllDownAreSaidToBe) {
  Api nvml = played();
  nvml.nvlink_state = [](Handle, unsigned link, int* is_active) {
    *is_active = 0;
    return link < 4 ? Status{0} : invalid_argument;
  };
  const Facts facts = links(nvml, nullptr);
  EXPECT_EQ(facts.at("nvlink"), "none active");
  EXPECT_FALSE(facts.contains("nvlink_to"));
}

TEST(Links, ThatNobodyKnowsOfAreLeftOut) {
  Api without = played();
  without.nvlink_state = [](Handle, unsigned, int*) { return not_supported; };
  EXPECT_EQ(links(without, nullptr), (Facts{{"pcie", "5 x16"}, {"pcie_now", "1 x8"}}));
  without.pcie_lanes = [](Handle, unsigned*) { return not_supported; };
  without.pcie_generation_now = nullptr;
  EXPECT_EQ(links(without, nullptr), Facts{});
}

}  // namespace links_test
}  // namespace ridgeline::device::nvml
