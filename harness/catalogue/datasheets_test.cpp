#include "harness/catalogue/datasheets.hpp"

#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace ridgeline::catalogue {
namespace datasheets_test {

std::map<std::string, double> roofs_of(std::string_view pci_id) {
  std::map<std::string, double> roofs;
  for (const record::Roof& roof : datasheet_roofs(pci_id)) roofs[roof.kind] = roof.value;
  return roofs;
}

TEST(Datasheets, HaveTheKnownRidgesInDenseBf16) {
  const std::pair<const char*, double> cases[] = {{"20b2", 153}, {"2330", 295}, {"2335", 206}};
  for (const auto& [pci_id, flop_per_byte] : cases) {
    const auto roofs = roofs_of(pci_id);
    EXPECT_EQ(std::round(roofs.at("tensor.bf16") / roofs.at("dram")), flop_per_byte) << pci_id;
  }
}

// FLOP per clock of one SM: two per lane of f32 (an FMA), per the whitepapers' tables. Catches a
// figure in the wrong row or unit.
TEST(Datasheets, F32RatesFollowFromSmsAndTheirClock) {
  for (const Datasheet& sheet : datasheets()) {
    const int lanes =
        sheet.capability == 70 || sheet.capability == 75 || sheet.capability == 80 ? 64 : 128;
    const double clock_mhz = sheet.f32 * 1e6 / (2.0 * lanes * sheet.sms);
    EXPECT_GT(clock_mhz, 1350) << sheet.model;
    EXPECT_LT(clock_mhz, 2600) << sheet.model;
  }
}

TEST(Datasheets, TensorRatesHalveWithEachStepOfPrecision) {
  for (const Datasheet& sheet : datasheets()) {
    if (sheet.bf16 > 0) {
      EXPECT_EQ(sheet.bf16, sheet.f16) << sheet.model;
      EXPECT_NEAR(sheet.bf16 / sheet.tf32, 2, 0.05) << sheet.model;
    }
    if (sheet.fp8 > 0) {
      EXPECT_NEAR(sheet.fp8 / sheet.bf16, 2, 0.05) << sheet.model;
    }
    if (sheet.capability < 80) {
      EXPECT_EQ(sheet.bf16 + sheet.tf32, 0) << sheet.model << " has no such tensor cores";
    }
  }
}

TEST(Datasheets, NameASourceForEachFigureAndAClock) {
  for (const Datasheet& sheet : datasheets()) {
    EXPECT_FALSE(sheet.model.empty());
    EXPECT_GT(sheet.sms, 0) << sheet.model;
    EXPECT_NE(sheet.source.find("NVIDIA"), std::string_view::npos) << sheet.model;
    EXPECT_NE(sheet.source.find(" (20"), std::string_view::npos) << sheet.model << " names no year";
    EXPECT_TRUE(sheet.note.find("clock") != std::string_view::npos ||
                sheet.note.find("MHz") != std::string_view::npos)
        << sheet.model;
    ASSERT_EQ(sheet.pci_ids.size() % 5, 4u) << sheet.model;
    for (std::size_t at = 0; at < sheet.pci_ids.size(); at += 5) {
      const auto pci_id = sheet.pci_ids.substr(at, 4);
      EXPECT_EQ(pci_id.find_first_not_of("0123456789abcdef"), std::string_view::npos) << pci_id;
      const auto roofs = datasheet_roofs(pci_id);
      EXPECT_GE(roofs.size(), 5u) << pci_id;
      for (const record::Roof& roof : roofs) {
        EXPECT_GT(roof.value, 0) << roof.kind;
        EXPECT_EQ(roof.source, sheet.source);
      }
    }
  }
}

TEST(Datasheets, AreKeptApartByPciId) {
  const auto sheet = [](const char* pci_ids) {
    Datasheet one;
    one.pci_ids = pci_ids;
    return one;
  };
  const Datasheet twice_in_one[] = {sheet("1111 1111")};
  const Datasheet twice_in_two[] = {sheet("1111 2222"), sheet("3333 2222")};
  const Datasheet fine[] = {sheet("1111 2222"), sheet("3333")};
  EXPECT_FALSE(pci_ids_are_unique(twice_in_one));
  EXPECT_FALSE(pci_ids_are_unique(twice_in_two));
  EXPECT_TRUE(pci_ids_are_unique(fine));
}

TEST(Datasheets, OfAnUnknownDeviceAreEmpty) {
  for (const char* id : {"", "0000", "233", "1 1d", "b1 1", "23355"}) {
    EXPECT_TRUE(datasheet_roofs(id).empty()) << id;
    EXPECT_FALSE(datasheet(id)) << id;
  }
  EXPECT_EQ(datasheet("1db5")->model, "Tesla V100 SXM2");
}

}  // namespace datasheets_test
}  // namespace ridgeline::catalogue
