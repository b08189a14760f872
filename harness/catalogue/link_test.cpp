#include "harness/catalogue/link.hpp"

#include <gtest/gtest.h>

namespace ridgeline::catalogue {
namespace link_test {

TEST(Link, CarriesWhatItsGenerationAndLanesAllow) {
  const std::pair<const char*, double> links[] = {// GB/s, as tables of the generations have them
                                                  {"1 x16", 4},   {"3 x16", 15.75}, {"4 x16", 31.5},
                                                  {"5 x8", 31.5}, {"5 x16", 63},    {"6 x16", 121}};
  for (const auto& [link, gb_s] : links) {
    const auto roof = link_roof(link);
    ASSERT_TRUE(roof) << link;
    EXPECT_NEAR(roof->value / 1e9, gb_s, 0.005 * gb_s) << link;
    EXPECT_EQ(roof->kind, "link");
    EXPECT_EQ(roof->unit, "B/s");
    EXPECT_FALSE(record::is_measured(*roof));
  }
}

TEST(Link, IsAbsentWhereNoneIsNamed) {
  for (const char* text : {"", "5", "x16", " x16", "5 x", "0 x16", "7 x16", "5 x0", "5 x33",
                           "-1 x16", "5 x16 ", "99999999999 x16", "NVLink"})
    EXPECT_FALSE(link_roof(text)) << text;
}

TEST(PeerRoofs, AreThoseOfAllNvLinks) {
  const auto roofs = peer_roofs(
      {{"direct_peers", "cuda:1 cuda:2"}, {"nvlink", "18 x 26562 MB/s"}, {"pcie", "5 x16"}});
  ASSERT_EQ(roofs.size(), 3u);
  EXPECT_EQ(roofs[0], (record::Roof{"link.to_peer", 478.116e9, "B/s", "NVLink 18 x 26562 MB/s"}));
  EXPECT_EQ(roofs[1].kind, "link.from_peer");
  EXPECT_EQ(roofs[1].value, roofs[0].value);
  EXPECT_EQ(roofs[2].kind, "link.both_ways");
  EXPECT_EQ(roofs[2].value, 2 * roofs[0].value);
}

TEST(PeerRoofs, AreThoseOfPciExpressWithoutNvLinks) {
  for (const record::Facts& facts :
       {record::Facts{{"direct_peers", "cuda:1"}, {"pcie", "4 x16"}},
        record::Facts{{"direct_peers", "cuda:1"}, {"nvlink", "none active"}, {"pcie", "4 x16"}}}) {
    const auto roofs = peer_roofs(facts);
    ASSERT_EQ(roofs.size(), 3u);
    EXPECT_NEAR(roofs[0].value, 31.5e9, 1e8);
    EXPECT_EQ(roofs[0].source, "PCI Express 4 x16");
  }
}

TEST(PeerRoofs, AreAbsentWhereNothingNamesALink) {
  for (const record::Facts& facts :
       {record::Facts{}, record::Facts{{"nvlink", "18 x 26562 MB/s"}},
        record::Facts{{"direct_peers", "none"}, {"pcie", "5 x16"}},
        record::Facts{{"direct_peers", "cuda:1"}},
        record::Facts{{"direct_peers", "cuda:1"}, {"nvlink", "18 active"}, {"pcie", "5 x16"}},
        record::Facts{{"direct_peers", "cuda:1"}, {"nvlink", "18 x  MB/s"}},
        record::Facts{{"direct_peers", "cuda:1"}, {"nvlink", "18 x MB/s"}},
        record::Facts{{"direct_peers", "cuda:1"}, {"nvlink", "18 x -5 MB/s"}},
        record::Facts{{"direct_peers", "cuda:1"}, {"nvlink", "18 x 1e9 MB/s"}},
        record::Facts{{"direct_peers", "cuda:1"}, {"nvlink", "0 x 26562 MB/s"}}})
    EXPECT_TRUE(peer_roofs(facts).empty());
}

}  // namespace link_test
}  // namespace ridgeline::catalogue
