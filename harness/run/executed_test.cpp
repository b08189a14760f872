#include "harness/run/executed.hpp"

#include <gtest/gtest.h>

#include "harness/store/examples.hpp"

namespace ridgeline::run {
namespace executed_test {

namespace examples = store::examples;
using record::Outcome;

/// Measurements as a store gives them back.
struct Stored {
  std::vector<store::StoredMeasurement> rows;

  record::Measurement& add(const record::Case& info, int replicate, record::Measurement m) {
    const auto id = static_cast<std::int64_t>(rows.size()) + 1;
    rows.push_back({id, id, info, replicate, std::move(m), 0});
    return rows.back().measurement;
  }
};

const record::Case one = examples::gemm_case("naive"), two = examples::gemm_case("tiled");
const std::string name_one = record::name(one.id), name_two = record::name(two.id);

TEST(Executed, OfAFirstPartIsNothing) {
  const Executed none;
  EXPECT_FALSE(none.has(name_one, 0));
  EXPECT_EQ(none.attempts(name_one, 0), 0);
  EXPECT_EQ(none.count(), 0u);
}

TEST(Executed, IsWhatCameToAnEndInItsReplicate) {
  Stored stored;
  stored.add(one, 0, examples::measurement(one));
  stored.add(one, 2, examples::failed(one, Outcome::crashed, "signal 11"));
  const Executed executed(stored.rows, 10);
  EXPECT_TRUE(executed.has(name_one, 0));
  EXPECT_FALSE(executed.has(name_one, 1));
  EXPECT_TRUE(executed.has(name_one, 2)) << "a crash is a result";
  EXPECT_FALSE(executed.has(name_two, 0));
  EXPECT_EQ(executed.count(), 2u);
  EXPECT_EQ(executed.left(name_one, 4), 2);
  EXPECT_EQ(executed.left(name_two, 4), 4);
}

TEST(Executed, WhatTheBudgetCutOffIsNot) {
  Stored stored;
  stored.add(one, 0, examples::failed(one, Outcome::not_measured, "the budget was spent"));
  stored.add(two, 0, examples::failed(two, Outcome::timeout, "killed while sampling")).total_ns =
      4e9;
  const Executed cut(stored.rows, 10);
  EXPECT_FALSE(cut.has(name_one, 0) || cut.has(name_two, 0));
  EXPECT_FALSE(cut.has_any(name_one) || cut.has_any(name_two));
  EXPECT_EQ(cut.attempts(name_one, 0), 1);
  stored.rows[1].measurement.total_ns = 10.1e9;  // the case's own time was over
  EXPECT_TRUE(Executed(stored.rows, 10).has(name_two, 0));
  stored.add(one, 0, examples::measurement(one)).attempt = 2;
  const Executed again(stored.rows, 10);
  EXPECT_TRUE(again.has(name_one, 0));
  EXPECT_EQ(again.attempts(name_one, 0), 2);
}

TEST(Executed, WhatADeviceCannotDoIsDecidedForAllReplicates) {
  Stored stored;
  stored.add(one, 1, examples::failed(one, Outcome::unsupported, "needs tensor cores"));
  const Executed executed(stored.rows, 10);
  EXPECT_TRUE(executed.has(name_one, 0) && executed.has(name_one, 7));
}

}  // namespace executed_test
}  // namespace ridgeline::run
