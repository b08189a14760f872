#include "harness/analysis/annotated_listing.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace annotated_listing_test {

using record::Site;
using record::Source;

/// A tile that is read by columns, as a profiler would show it.
const std::string turn_text =
    "// Turns a tile.\n"
    "__global__ void turn(const float* in, float* out) {\n"
    "  __shared__ float held[32][32];\n"
    "  const int x = threadIdx.x, y = threadIdx.y;\n"
    "\n"
    "  held[y][x] = in[32 * y + x];\n"
    "  __syncthreads();\n"
    "  // One line,\n"
    "  // another,\n"
    "  // and more:\n"
    "  // a region of its own.\n"
    "  out[32 * y + x] = held[x][y];\n"
    "}\n";

std::vector<Site> turn_sites() {
  return {{"turn", "turn.cu", 6, "global load", 4, 64, 2048, 256, 0},
          {"turn", "turn.cu", 6, "shared store", 4, 64, 2048, 0, 64},
          {"turn", "turn.cu", 12, "global store", 4, 64, 2048, 256, 0},
          {"turn", "turn.cu", 12, "shared load", 4, 64, 2048, 0, 2048}};
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string listing(const std::vector<Site>& sites, const std::vector<Source>& sources,
                    const ListingShape& shape = {}) {
  return joined(annotated_listing(sites, sources, shape));
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(AnnotatedListing, ShowsRegionsAroundLinesWithAccesses) {
  EXPECT_EQ(listing(turn_sites(), {{"turn.cu", turn_text}}),
            "turn.cu\n"
            "kernel turn\n"
            "                                requests         a request  lanes   share\n"
            "   4 |   const int x = threadIdx.x, y = threadIdx.y;\n"
            "   5 |\n"
            "   6 |   held[y][x] = in[32 * y + x];\n"
            "     > global load 4 B                64      4.00 sectors   32.0   50.0%  #####\n"
            "     > shared store 4 B               64   1.00 wavefronts   32.0    3.0%\n"
            "   7 |   __syncthreads();\n"
            "   8 |   // One line,\n"
            "  ...\n"
            "  10 |   // and more:\n"
            "  11 |   // a region of its own.\n"
            "  12 |   out[32 * y + x] = held[x][y];\n"
            "     > global store 4 B               64      4.00 sectors   32.0   50.0%  #####\n"
            "   ! > shared load 4 B                64  32.00 wavefronts   32.0   97.0%  ########## "
            " 32x conflicts\n"
            "  13 | }\n"
            "\n"
            "!: more sectors or wavefronts than the bytes of its active lanes need\n");
}

TEST(AnnotatedListing, MarksOnlyWhatIsWasted) {
  std::vector<Site> sites = turn_sites();
  sites.pop_back();
  EXPECT_FALSE(contains(listing(sites, {{"turn.cu", turn_text}}), "!"));
  sites[0].sectors = 2048;
  EXPECT_TRUE(contains(listing(sites, {{"turn.cu", turn_text}}), "8x uncoalesced\n"));
}

TEST(AnnotatedListing, RegionsThatMeetAreOne) {
  std::vector<Site> sites = turn_sites();
  sites[2].line = sites[3].line = 7;
  const std::string text = listing(sites, {{"turn.cu", turn_text}}, {110, 1});
  EXPECT_FALSE(contains(text, "..."));
  for (const char* line : {"\n   5 |\n", "\n   6 | ", "\n   7 | ", "\n   8 | "}) {
    const std::size_t at = text.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    EXPECT_EQ(text.find(line, at + 1), std::string::npos) << line << " stands there twice";
  }
  EXPECT_FALSE(contains(text, "   4 |"));
  EXPECT_FALSE(contains(text, "   9 |"));
}

TEST(AnnotatedListing, ShowsSitesWithoutTheirSource) {
  std::vector<Site> sites = turn_sites();
  const std::string without = listing(sites, {});
  EXPECT_TRUE(contains(without, "   6 | (its source was not kept)\n"));
  EXPECT_TRUE(contains(without, "   ! > shared load 4 B "));
  sites[3].line = 99;
  EXPECT_TRUE(contains(listing(sites, {{"turn.cu", turn_text}}),
                       "  99 | (not a line of the source that was kept)\n"));
  sites[3].line = 0;
  sites[3].file.clear();
  EXPECT_TRUE(contains(listing(sites, {{"turn.cu", turn_text}}), "file not known\n"));
  EXPECT_TRUE(contains(listing(sites, {{"turn.cu", turn_text}}),
                       "of no line that the debug information names\n"));
}

TEST(AnnotatedListing, FilesWithTheMostRequestsComeFirstAndKernelsAreToldApart) {
  std::vector<Site> sites = turn_sites();
  sites.push_back({"turn", "a_helper.cuh", 1, "global load", 4, 1, 1, 1, 0});
  sites.push_back({"other", "turn.cu", 6, "global load", 4, 2, 64, 8, 0});
  const std::string text = listing(sites, {{"a_helper.cuh", "one line"}, {"turn.cu", turn_text}});
  EXPECT_LT(text.find("turn.cu\n"), text.find("a_helper.cuh\n"));
  EXPECT_TRUE(contains(text, "kernels other, turn\n"));
  EXPECT_TRUE(contains(text, "\n       in other\n"));
  EXPECT_TRUE(contains(text, "\n   1 | one line\n")) << "a last line without its end is one";
}

TEST(AnnotatedListing, StaysWithinItsWidthAndEscapesWhatCannotBePrinted) {
  const std::string hostile = "\x1b[2J\t" + std::string(5000, 'x') + "\xff\xe2\x80";
  std::vector<Site> sites = turn_sites();
  for (Site& site : sites) {
    site.line = 1;
    site.kernel = site.file = hostile;
    site.requests = site.lanes = site.sectors = site.wavefronts = ~std::uint64_t{0};
  }
  sites[1].access = hostile;
  sites[2].access = "shared async copy";
  sites[2].lane_bytes = 16;
  for (const int width : {80, 104, 110, 200}) {
    for (const std::vector<Source>& sources : {std::vector<Source>{}, {{hostile, hostile}}}) {
      for (const std::string& line : annotated_listing(sites, sources, {width, 2})) {
        EXPECT_LE(line.size(), static_cast<std::size_t>(width)) << line;
        EXPECT_TRUE(std::ranges::all_of(line, [](char c) { return c >= ' ' && c < 127; })) << line;
      }
    }
  }
}

TEST(AnnotatedListing, NothingOfARowIsCutWhereThereIsLittleRoom) {
  std::vector<Site> sites = turn_sites();
  sites[2] = {"turn",      "turn.cu",      12, "shared async copy", 16,
              999'999'999, 31'999'999'968, 0,  15'900'000'000};
  for (const int width : {80, 104}) {
    const std::string text = listing(sites, {{"turn.cu", turn_text}}, {width, 2});
    const std::size_t row =
        text.find("shared async copy 16 B  999999999  15.90 wavefronts   32.0  100.0%");
    ASSERT_NE(row, std::string::npos) << text;
    EXPECT_TRUE(contains(text.substr(row, text.find('\n', row) - row),
                         width < 104 ? "  3.98x" : "3.98x conflicts"));
    EXPECT_FALSE(contains(text.substr(row, text.find('\n', row) - row), "..."));
    EXPECT_TRUE(contains(text, "32.00 wavefronts   32.0   <0.1%")) << "little is not nothing";
  }
}

TEST(AnnotatedListing, CountsCharactersAndKeepsThemWhole) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "\xc3\xa4";
  const std::vector<std::string> lines = annotated_listing(
      {{"k", "k.cu", 1, "global load", 4, 1, 32, 4, 0}}, {{"k.cu", text}}, {80, 0});
  const auto line = std::ranges::find_if(
      lines, [](const std::string& one) { return one.starts_with("   1 | "); });
  ASSERT_NE(line, lines.end());
  EXPECT_EQ(*line, "   1 | " + text.substr(0, 140) + "...");
}

TEST(AnnotatedListing, OfNothingIsEmpty) {
  EXPECT_TRUE(annotated_listing({}, {{"turn.cu", turn_text}}).empty());
  EXPECT_THROW(annotated_listing(turn_sites(), {}, {79, 2}), Error);
}

TEST(AnnotatedListing, ASiteWithoutRequestsHasNoMeans) {
  EXPECT_TRUE(
      contains(listing({{"k", "k.cu", 1, "tensor", 0, 0, 0, 0, 0}}, {}),
               "     > tensor                          0                 -      -       -\n"));
}

}  // namespace annotated_listing_test
}  // namespace ridgeline::analysis
