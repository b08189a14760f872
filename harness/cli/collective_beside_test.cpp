// `ridgeline collectives beside` over stored runs, as a user calls it. All times are made up.

#include <map>
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/cli/said.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace collective_beside_test {

namespace examples = store::examples;
using nlohmann::json;
using Times = std::map<std::string, double>;  // ns, by what is timed

/// Both take 100 and 80 us alone, cost each other a tenth and a half, and end after 130 us.
const Times known{{"work_alone", 100e3},
                  {"collective_alone", 80e3},
                  {"work", 110e3},
                  {"collective", 120e3},
                  {"both", 130e3}};

class Beside : public testing::Test {
 protected:
  void add(const Times& times, const std::string& id = "20261120T100000Z-aaaaaa", int processes = 3,
           const std::vector<record::Field>& options = {}) const {
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    const record::Run run = examples::run(id);
    store::begin(store, run, examples::device(), examples::environment());
    for (int replicate = 0; replicate < processes; ++replicate) {
      const std::int64_t process = store::add(store, examples::process(replicate, run.id));
      for (const auto& [timed, ns] : times) {
        record::Case info;
        info.id = {"beside",
                   "nccl",
                   "f32",
                   {{"op", "all_reduce"}, {"ranks", "2"}, {"bytes", "26214400"}, {"timed", timed}},
                   options};
        info.device_kind = DeviceKind::fake;
        info.ranks = 2;
        const double mine = ns * (1 + 0.001 * replicate);
        store::add(store, process, info, examples::measurement(info, {mine, mine, mine}));
      }
    }
    store::finish(store, run.id, record::RunStatus::finished, run.started);
  }

  Said beside(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"ridgeline", "collectives", "beside"});
    words.insert(words.end(), {"--results", folder.path().string()});
    return said_to(words);
  }
  json all_of() const {
    const Said said = beside({"--json"});
    EXPECT_EQ(said.code, 0) << said.err;
    return json::parse(said.out)["beside"];
  }

  store::TemporaryFolder folder;
};

TEST_F(Beside, TellsWhatBothCostEachOther) {
  add(known);
  const json all = all_of();
  ASSERT_EQ(all.size(), 1u);
  const json& one = all[0];
  EXPECT_EQ(one["bytes"], 26214400);
  EXPECT_EQ(one["fields"]["op"], "all_reduce");
  EXPECT_FALSE(one["fields"].contains("timed"));
  EXPECT_NEAR(one["work_alone"]["ns"].get<double>(), 100.1e3, 1);
  EXPECT_NEAR(one["work_slow_down"]["value"].get<double>(), 1.1, 1e-9);
  EXPECT_NEAR(one["collective_slow_down"]["value"].get<double>(), 1.5, 1e-9);
  EXPECT_NEAR(one["hidden_share"]["value"].get<double>(), 50.0 / 80, 1e-9);
  EXPECT_LT(one["hidden_share"]["interval"]["low"].get<double>(), 0.625);
  EXPECT_GT(one["hidden_share"]["interval"]["high"].get<double>(), 0.625);
  const std::string text = beside().out;
  for (const char* part : {"nccl of 25 MiB, f32,", "op=all_reduce,ranks=2,bytes=26214400",
                           "1.100 (", "1.500 (", "hidden: 62.5% of the shorter ("})
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
}

TEST_F(Beside, CutsNothingOff) {
  Times slow = known;
  slow["both"] = 200e3;
  add(slow);
  EXPECT_NEAR(all_of()[0]["hidden_share"]["value"].get<double>(), -0.25, 1e-9);
  EXPECT_NE(beside().out.find("hidden: -25.0% of the shorter"), std::string::npos);
}

TEST_F(Beside, TakesTheNewestRunThatHasAllThatIsTimed) {
  add(known);
  Times some = known;
  some.erase("both");
  add(some, "20261121T100000Z-bbbbbb");
  ASSERT_EQ(all_of().size(), 1u);
  EXPECT_EQ(all_of()[0]["run"], "20261120T100000Z-aaaaaa");
  add(known, "20261122T100000Z-cccccc", 2);
  EXPECT_EQ(all_of()[0]["run"], "20261122T100000Z-cccccc");
  EXPECT_FALSE(all_of()[0]["hidden_share"].contains("interval"));
  EXPECT_NE(beside().out.find("with too few processes for an interval"), std::string::npos);
}

TEST_F(Beside, KeepsOptionsApart) {
  add(known, "20261120T100000Z-aaaaaa", 3, {{"priority", "high"}});
  Times slow = known;
  slow["both"] = 180e3;
  add(slow, "20261121T100000Z-bbbbbb");
  const json all = all_of();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(all[0]["fields"].contains("priority"), all[1]["fields"].contains("priority"));
}

TEST_F(Beside, SaysHowToMeasureIt) {
  Times some = known;
  some.erase("work");
  add(some);
  const Said said = beside();
  EXPECT_EQ(said.code, 64);
  EXPECT_NE(said.err.find("ridgeline run 'beside/*,ranks=2,*'"), std::string::npos) << said.err;
}

}  // namespace collective_beside_test
}  // namespace ridgeline::cli
