// `ridgeline show --listing` on stored runs, as a user calls it.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/cli/said.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace show_listing_test {

namespace examples = store::examples;
using nlohmann::json;

class ShowListing : public testing::Test {
 protected:
  ShowListing() {
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    record::Run run = examples::run();
    run.device_uuid = examples::counting_device().uuid;
    store::begin(store, run, examples::counting_device(), examples::environment());
    const std::int64_t process = store::add(store, examples::process());
    const record::Case naive = examples::gemm_case("naive");
    record::Measurement counted = examples::counted(naive);
    counted.sites[1].wavefronts = 2048;
    store::add(store, process, naive, counted);
    for (const int n : {64, 128}) {
      const record::Case wmma = examples::gemm_case("wmma", n);
      store::add(store, process, wmma,
                 examples::failed(wmma, record::Outcome::unsupported, "needs mma.sync"));
    }
  }

  int ridgeline(std::vector<std::string> words) {
    words.insert(words.begin(), {"ridgeline", "show", "--results", folder.path().string()});
    const Said said = said_to(words);
    out = said.out;
    err = said.err;
    return said.code;
  }

  store::TemporaryFolder folder;
  std::string out, err;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(ShowListing, PrintsTheSourcesOfTheCasesThatAPatternPicks) {
  ASSERT_EQ(ridgeline({"--listing", "gemm", "latest"}), 0) << err;
  EXPECT_TRUE(out.starts_with(
      "gemm/naive/f32/m=64,n=64,k=64\n\nkernels/gemm/naive.cu\nkernel gemm_kernel\n"))
      << out;
  EXPECT_TRUE(contains(out, "  17 | ")) << out;
  EXPECT_TRUE(contains(out, "4.00 sectors   32.0  100.0%")) << out;
  EXPECT_TRUE(contains(out, "32x conflicts\n")) << out;
  EXPECT_FALSE(contains(out, "wmma"));
  EXPECT_EQ(err,
            "\n2 of 3 cases have no listing, because they were not counted:\n"
            "  gemm/wmma/f32/m=64,n=64,k=64 and 1 more are unsupported: needs mma.sync\n");
  ASSERT_EQ(ridgeline({"--listing", "*/m=64,*", "latest"}), 0) << err;
  EXPECT_EQ(err,
            "\n1 of 2 cases has no listing, because it was not counted:\n"
            "  gemm/wmma/f32/m=64,n=64,k=64 is unsupported: needs mma.sync\n");
  ASSERT_EQ(ridgeline({"--listing", "gemm/naive", "latest"}), 0) << err;
  EXPECT_EQ(err, "") << "nothing was left out";
}

TEST_F(ShowListing, IsSaidToPrograms) {
  ASSERT_EQ(ridgeline({"--listing", "gemm/naive", "--json"}), 0) << err;
  const json said = json::parse(out);
  EXPECT_EQ(said.at("ridgeline_json"), 2);
  ASSERT_EQ(said.at("listings").size(), 1u);
  const json& only = said.at("listings").at(0);
  EXPECT_EQ(only.at("case"), "gemm/naive/f32/m=64,n=64,k=64");
  EXPECT_EQ(only.at("sites").at(1).at("wavefronts"), 2048);
  EXPECT_EQ(said.at("sources").at(only.at("sources").at(0).get<std::size_t>()).at("text"),
            "// naive\n");
  EXPECT_EQ(said.at("not_counted"), json::array());
  ASSERT_EQ(ridgeline({"--listing", "gemm", "--json"}), 0) << err;
  const json skipped = json::parse(out).at("not_counted");
  ASSERT_EQ(skipped.size(), 2u);
  EXPECT_EQ(skipped.at(0), json({{"case", "gemm/wmma/f32/m=64,n=64,k=64"},
                                 {"outcome", "unsupported"},
                                 {"reason", "needs mma.sync"}}));
}

TEST_F(ShowListing, SaysWhyThereIsNone) {
  EXPECT_EQ(ridgeline({"--listing", "gemm/wmma"}), 64);
  EXPECT_TRUE(contains(
      err,
      "has no listing of gemm/wmma: gemm/wmma/f32/m=64,n=64,k=64 and 1 more are unsupported: "
      "needs mma.sync\n"))
      << err;
  EXPECT_TRUE(contains(err, "--device emulated:sm_90")) << err;
  EXPECT_EQ(ridgeline({"--listing", "gemm/naiv/f32/m=64,n=64,k=64"}), 64);
  EXPECT_TRUE(contains(err, "the run has no case gemm/naiv")) << err;
  EXPECT_TRUE(contains(err, "did you mean gemm/naive")) << err;
  EXPECT_EQ(ridgeline({"--listing", "flash_attention"}), 64);
  EXPECT_TRUE(
      contains(err, "it has 3 cases: gemm/naive (1), gemm/wmma (2); ridgeline show lists them"))
      << err;
  EXPECT_EQ(ridgeline({"--listing", "gemm", "--samples", "gemm"}), 64);
}

TEST_F(ShowListing, SaysOfARunWithTimesThatNothingWasCounted) {
  store::Store store = store::Store::create(folder / "synthetic-timed.sqlite");
  const record::Run timed = examples::run("20261121T000000Z-5f3a9c", "2026-11-21T00:00:00Z");
  store::begin(store, timed, examples::device(), examples::environment());
  store::add(store, store::add(store, examples::process(0, timed.id)), examples::gemm_case(),
             examples::measurement(examples::gemm_case()));
  EXPECT_EQ(ridgeline({"--listing", "gemm", timed.id}), 64);
  EXPECT_TRUE(
      contains(err, "has no listing of gemm: gemm/naive/f32/m=64,n=64,k=64 is ok: it has times\n"))
      << err;
  EXPECT_TRUE(contains(err, "--device emulated:sm_90")) << err;
}

}  // namespace show_listing_test
}  // namespace ridgeline::cli
