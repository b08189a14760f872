#include "harness/catalogue/device_name.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::catalogue {
namespace device_name_test {

TEST(DeviceName, IsTheModelOrSomeOfItsWords) {
  const std::pair<const char*, const char*> table[] = {
      {"a100", "A100 SXM4 80 GB"},
      {"A100-40GB", "A100 SXM4 40 GB"},
      {"a100-pcie", "A100 PCIe 80 GB"},
      {"nvidia-a100-sxm4-80gb", "A100 SXM4 80 GB"},
      {"h100", "H100 SXM5 80 GB"},
      {"h100 nvl", "H100 NVL 94 GB"},
      {"h100-pcie", "H100 PCIe"},
      {"h200", "H200 SXM"},
      {"gh200", "GH200"},
      {"nvidia-h200", "H200 SXM"},
      {"rtx-4090", "GeForce RTX 4090"},
      {"l4", "L4"},
      {"geforce-rtx-5090", "GeForce RTX 5090"},
  };
  for (const auto& [name, model] : table) EXPECT_EQ(datasheet_named(name).model, model) << name;
}

TEST(DeviceName, OfEachDatasheetMeansItAlone) {
  std::set<std::string> slugs;
  for (const Datasheet& sheet : datasheets()) {
    EXPECT_TRUE(slugs.insert(slug(sheet)).second) << slug(sheet) << " means two";
    EXPECT_EQ(datasheet_named(slug(sheet)).model, sheet.model);
  }
  EXPECT_TRUE(slugs.contains("a100-sxm4-80gb"));
}

TEST(DeviceName, ThatIsUnknownGetsTheNearestOrAll) {
  const auto advice = [](const char* name) -> std::string {
    try {
      return std::string(datasheet_named(name).model);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("the catalogue has no device"), std::string::npos);
      return error.advice();
    }
  };
  EXPECT_EQ(advice("h20"), "did you mean h200?");
  EXPECT_EQ(advice("tesla-t5"), "did you mean tesla-t4?");
  for (const char* name : {"", "-", "nvidia", "radeon", "h100-a100"})
    EXPECT_NE(advice(name).find("there are: tesla-v100-sxm2, tesla-t4, a100"), std::string::npos)
        << name;
}

}  // namespace device_name_test
}  // namespace ridgeline::catalogue
