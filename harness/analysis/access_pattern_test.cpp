#include "harness/analysis/access_pattern.hpp"

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace access_pattern_test {

record::Site site(const char* access, int lane_bytes, std::uint64_t requests, std::uint64_t lanes,
                  std::uint64_t sectors, std::uint64_t wavefronts = 0) {
  return {"kernel", "kernel.cu", 1, access, lane_bytes, requests, lanes, sectors, wavefronts};
}

TEST(AccessPattern, FullWarpsSideBySideNeedTheirBytes) {
  for (const int bytes : {1, 2, 4, 8, 16}) {
    const std::uint64_t sectors = 10 * static_cast<std::uint64_t>(bytes);
    const record::Site good = site("global load", bytes, 10, 320, sectors);
    EXPECT_EQ(sectors_needed(good), 10.0 * bytes) << bytes;
    EXPECT_FALSE(uncoalesced(good)) << bytes;
    EXPECT_EQ(uncoalesced(site("global store", bytes, 10, 320, 2 * sectors)), 2.0) << bytes;
  }
  EXPECT_EQ(uncoalesced(site("global load", 4, 10, 320, 320)), 8.0) << "32 bytes apart";
  EXPECT_EQ(uncoalesced(site("global load", 4, 10, 320, 50)), 1.25)
      << "one element beside the sector's border";
  EXPECT_FALSE(uncoalesced(site("global load", 4, 10, 320, 10))) << "all lanes read one word";
}

TEST(AccessPattern, FewLanesAreNotBlamedForTheSectorTheyTouch) {
  EXPECT_FALSE(uncoalesced(site("global load", 4, 10, 10, 10)))
      << "a lane touches a sector, whatever it reads";
  // Half of the requests have one lane, the others 32: 1 and 4 sectors.
  EXPECT_FALSE(uncoalesced(site("global load", 4, 10, 5 + 160, 5 + 20)));
  EXPECT_FALSE(uncoalesced(site("global load", 4, 10, 90, 20))) << "9 lanes lie in 2 sectors";
  EXPECT_TRUE(uncoalesced(site("global load", 4, 10, 90, 90))) << "9 lanes in 9 sectors";
}

TEST(AccessPattern, WavefrontsBeyondThoseOfTheBytesAreConflicts) {
  EXPECT_FALSE(conflicts(site("shared load", 4, 10, 320, 0, 10)));
  EXPECT_EQ(conflicts(site("shared load", 4, 10, 320, 0, 320)), 32.0);
  EXPECT_EQ(conflicts(site("shared store", 2, 10, 320, 0, 20)), 2.0);
  EXPECT_FALSE(conflicts(site("shared load", 16, 10, 320, 0, 40))) << "512 bytes take 4 wavefronts";
  EXPECT_EQ(conflicts(site("shared load", 16, 10, 320, 0, 80)), 2.0);
  EXPECT_FALSE(conflicts(site("shared load", 16, 10, 320, 0, 20)))
      << "pairs of lanes read the same words";
  EXPECT_FALSE(conflicts(site("shared load", 16, 10, 20, 0, 20)))
      << "two lanes of different groups";
  EXPECT_EQ(conflicts(site("shared async copy", 16, 10, 320, 0, 120)), 3.0);
}

TEST(AccessPattern, SaysNothingOfWhatLanesDoNotDo) {
  for (const char* access :
       {"tensor", "global tensor copy", "shared bulk copy", "shared", "", "globalload"}) {
    const record::Site other = site(access, 16, 10, 10, 999, 999);
    EXPECT_FALSE(uncoalesced(other)) << access;
    EXPECT_FALSE(conflicts(other)) << access;
  }
  EXPECT_FALSE(conflicts(site("global load", 4, 10, 320, 320, 320))) << "of global memory";
  EXPECT_FALSE(uncoalesced(site("shared load", 4, 10, 320, 320, 320))) << "of shared memory";
  EXPECT_FALSE(sectors_needed(site("global load", 4, 0, 0, 0)));
  EXPECT_FALSE(sectors_needed(site("global load", 0, 10, 320, 40)));
  EXPECT_FALSE(sectors_needed(site("global load", 4, 10, 0, 40)))
      << "requests without lanes are none";
}

TEST(AccessPattern, SharesAreOfOneMemory) {
  const record::Site load = site("global load", 4, 10, 320, 30),
                     store = site("global store", 4, 10, 320, 10),
                     shared = site("shared load", 4, 10, 320, 0, 7),
                     tensor = site("tensor", 0, 10, 320, 0);
  const Traffic all = traffic({load, store, shared, tensor});
  EXPECT_EQ(share(load, all), 0.75);
  EXPECT_EQ(share(store, all), 0.25);
  EXPECT_EQ(share(shared, all), 1.0);
  EXPECT_FALSE(share(tensor, all));
}

}  // namespace access_pattern_test
}  // namespace ridgeline::analysis
