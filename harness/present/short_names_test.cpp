#include "harness/present/short_names.hpp"

#include <gtest/gtest.h>

namespace ridgeline::present {
namespace short_names_test {

using record::CaseId;
using Names = std::vector<std::string>;

CaseId gemm(const std::string& variant, const std::string& n) {
  return {"gemm", variant, "f32", {{"m", "512"}, {"n", n}, {"k", n}, {"batch", "1"}}, {}};
}

TEST(ShortNames, SayOnceWhatAllHaveInCommon) {
  const ShortNames variants = short_names({gemm("naive", "64"), gemm("tiled", "64")});
  EXPECT_EQ(variants.common, "gemm/*/f32/m=512,n=64,k=64,batch=1");
  EXPECT_EQ(variants.names, (Names{"naive", "tiled"}));
  const ShortNames sizes = short_names({gemm("naive", "64"), gemm("naive", "128")});
  EXPECT_EQ(sizes.common, "gemm/naive/f32/m=512,*,batch=1");
  EXPECT_EQ(sizes.names, (Names{"n=64,k=64", "n=128,k=128"}));
}

TEST(ShortNames, KeepWhatOnlySomeOfThemHave) {
  CaseId hot = gemm("naive", "64");
  hot.options = {{"cache", "hot"}};
  const ShortNames options = short_names({gemm("naive", "64"), hot});
  EXPECT_EQ(options.common, "gemm/naive/f32/m=512,n=64,k=64,batch=1,*");
  EXPECT_EQ(options.names, (Names{"(plain)", "cache=hot"}));
  const ShortNames roofs = short_names(
      {{"roofs", "copy", "f32", {{"level", "dram"}}, {}}, {"roofs", "fma", "bf16", {}, {}}});
  EXPECT_EQ(roofs.common, "roofs/*/*/*");
  EXPECT_EQ(roofs.names, (Names{"copy/f32/level=dram", "fma/bf16"}));
}

TEST(ShortNames, ACaseThatIsAloneIsNamedInFull) {
  const ShortNames alone = short_names({gemm("naive", "64")});
  EXPECT_EQ(alone.common, "gemm");
  EXPECT_EQ(alone.names, (Names{"naive/f32/m=512,n=64,k=64,batch=1"}));
  EXPECT_TRUE(short_names({}).names.empty());
}

}  // namespace short_names_test
}  // namespace ridgeline::present
