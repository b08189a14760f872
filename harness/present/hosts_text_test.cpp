#include "harness/present/hosts_text.hpp"

#include <gtest/gtest.h>

namespace ridgeline::present {
namespace hosts_text_test {

const record::Facts two{{"hosts", "2"},
                        {"host0", "node1"},
                        {"host0.ranks", "0-3"},
                        {"host0.links", "eth0 10.0.0.1"},
                        {"host0.cpu", "CPU, 8 cores"},
                        {"host1", "node2"},
                        {"host1.ranks", "4-7"},
                        {"host1.gpus", "GPU uuid"}};

TEST(HostsText, HasALineForEachHostOnce) {
  EXPECT_EQ(hosts_text({two, two}),
            (std::vector<std::string>{"node1 (ranks 0-3): eth0 10.0.0.1; CPU, 8 cores",
                                      "node2 (ranks 4-7): GPU uuid"}));
  EXPECT_TRUE(hosts_text({}).empty());
}

TEST(HostsText, EscapesWhatOthersWrote) {
  EXPECT_EQ(hosts_text({{{"host0", "a\x1b[31m"}, {"host0.ranks", "0"}}}),
            std::vector<std::string>{"a\\x1b[31m (ranks 0): "});
}

TEST(HostsText, CountsWhatIsTooMuch) {
  record::Facts many;
  for (int i = 0; i < 30; ++i) many["host" + std::to_string(i) + ".ranks"] = std::to_string(i);
  const std::vector<std::string> lines = hosts_text({many});
  ASSERT_EQ(lines.size(), 20u);
  EXPECT_EQ(lines.back(), "and 11 more lines");
}

TEST(HostsText, CountsHostsThatWereNotKept) {
  record::Facts counted = two;
  counted["hosts"] = "3";
  ASSERT_EQ(hosts_text({two, counted}).size(), 3u);
  EXPECT_EQ(hosts_text({two, counted}).back(), "and 1 host of which the run keeps nothing");
  record::Facts many{{"hosts", "120"}};
  for (int i = 0; i < 100; ++i) many["host" + std::to_string(i) + ".ranks"] = std::to_string(i);
  const std::vector<std::string> lines = hosts_text({many});
  ASSERT_EQ(lines.size(), 20u);
  EXPECT_EQ(lines.back(), "and 81 more lines, and 20 hosts of which the run keeps nothing");
  counted["hosts"] = "-1";
  EXPECT_EQ(hosts_text({counted}).size(), 2u);
}

}  // namespace hosts_text_test
}  // namespace ridgeline::present
