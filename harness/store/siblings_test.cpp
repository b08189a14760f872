#include "harness/store/siblings.hpp"

#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "harness/store/files_fixture.hpp"

namespace ridgeline::store {
namespace siblings_test {

using Ids = std::vector<std::string>;

class Siblings : public Files {
 protected:
  /// On GPU `gpu`, at `time` ("10:00:00") of one day, of cases of these sizes; the run's id. `id`:
  /// of the GPU, if not by its number.
  std::string add(int gpu, const std::string& time, const std::vector<std::string>& sizes = {"1"},
                  const std::string& id = "") {
    Store store = Store::create(file);
    record::Device device = examples::device();
    device.kind = DeviceKind::cuda;
    device.uuid = fmt::format("GPU-{}", gpu);
    device.id = id.empty() ? fmt::format("cuda:{}", gpu) : id;
    record::Environment environment = examples::environment();
    environment.recorded["host"] = "node1";
    record::Run run = examples::run(fmt::format("run-{}-on-{}", ++made_, gpu));
    run.device_uuid = device.uuid;
    run.started = fmt::format("2026-11-20T{}Z", time);
    begin(store, run, device, environment);
    const std::int64_t process = store::add(store, examples::process(0, run.id));
    for (const std::string& size : sizes) {
      record::Case info = examples::gemm_case();
      info.device_kind = DeviceKind::cuda;
      info.id.problem.push_back({"size", size});
      store::add(store, process, info, examples::measurement(info));
    }
    finish(store, run.id, record::RunStatus::finished, run.started);
    return run.id;
  }

  Ids of(const std::string& id) {
    const std::vector<FoundRun> all = runs();
    const auto run = std::ranges::find(all, id, id_of);
    Ids ids;
    for (const FoundRun& found :
         siblings(*run, all, [&](const Error& why) { left_out.push_back(why.what()); }))
      ids.push_back(id_of(found));
    std::ranges::sort(ids);
    return ids;
  }
  std::vector<FoundRun> runs() const {
    return all_runs(folder.path(), [](const Error& why) { ADD_FAILURE() << why.what(); });
  }
  static std::string id_of(const FoundRun& run) { return run.summary.run.id; }

  Ids left_out;

 private:
  int made_ = 0;
};

TEST_F(Siblings, AreTheNearestOfEachOther) {
  const std::string a0 = add(0, "10:00:00"), a1 = add(1, "10:00:01"), a2 = add(2, "10:00:02"),
                    repeated = add(0, "12:00:00");
  EXPECT_EQ(of(a0), (Ids{a1, a2}));
  EXPECT_EQ(of(a1), (Ids{a0, a2}));
  EXPECT_EQ(of(repeated), Ids{}) << "theirs is the first";
  const std::string also = add(1, "12:00:01");
  EXPECT_EQ(of(repeated), Ids{also});
  EXPECT_EQ(of(a1), (Ids{a0, a2}));
  EXPECT_EQ(left_out, Ids{});
}

TEST_F(Siblings, AreNoGpusOfOneIdOnHostsOfOneName) {
  const std::string here = add(0, "10:00:00"), elsewhere = add(1, "10:00:01", {"1"}, "cuda:0");
  EXPECT_EQ(of(here), Ids{});
  EXPECT_EQ(of(elsewhere), Ids{});
}

TEST_F(Siblings, HaveTheSameCases) {
  const std::string all = add(0, "10:00:00", {"1", "2"}), some = add(1, "10:00:01", {"2"}),
                    later = add(1, "10:10:00", {"2", "1"});
  EXPECT_EQ(of(all), Ids{later});
  EXPECT_EQ(of(some), Ids{});
}

TEST_F(Siblings, ThatCannotBeReadAreLeftOutAndSaid) {
  const std::string a0 = add(0, "10:00:00"), a1 = add(1, "10:00:01"), a2 = add(2, "10:00:02");
  change(file,
         "INSERT INTO environment SELECT 99, hash, comparable, '[1]' FROM environment LIMIT 1");
  change(file, fmt::format("UPDATE run SET environment_id = 99 WHERE id = '{}'", a1).c_str());
  EXPECT_EQ(of(a0), Ids{a2});
  ASSERT_FALSE(left_out.empty());
  EXPECT_NE(left_out.front().find("environment"), std::string::npos) << left_out.front();
  EXPECT_FALSE(refusal([&] { of(a1); }).empty());
}

}  // namespace siblings_test
}  // namespace ridgeline::store
