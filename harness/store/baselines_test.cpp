#include "harness/store/baselines.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::store {
namespace baselines_test {

class Baselines : public testing::Test {
 protected:
  Baselines() {
    begin(store, examples::run("one"), examples::device(), examples::environment());
    begin(store, examples::run("two"), examples::device(), examples::environment());
  }
  Store store = Store::in_memory();
};

TEST_F(Baselines, AreListedByNameAndReplaced) {
  EXPECT_TRUE(store::baselines(store).empty());
  set_baseline(store, {"main", "one", "2026-11-20T13:00:00Z"});
  set_baseline(store, {"v1.0-rc_2", "one", "2026-11-20T13:00:01Z"});
  set_baseline(store, {"main", "two", "2026-11-20T13:00:02Z"});
  const auto all = store::baselines(store);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "main");
  EXPECT_EQ(all[0].run_id, "two");
  EXPECT_EQ(all[0].set_at, "2026-11-20T13:00:02Z");
  EXPECT_EQ(all[1].name, "v1.0-rc_2");
}

TEST_F(Baselines, AreRemovedOnce) {
  set_baseline(store, {"main", "one", "2026-11-20T13:00:00Z"});
  EXPECT_FALSE(remove_baseline(store, "mai"));
  EXPECT_TRUE(remove_baseline(store, "main"));
  EXPECT_FALSE(remove_baseline(store, "main"));
  EXPECT_TRUE(store::baselines(store).empty());
}

TEST_F(Baselines, StandForARunThatIsThereUnderAPlainName) {
  EXPECT_THROW(set_baseline(store, {"main", "three", "2026-11-20T13:00:00Z"}), Error);
  for (const std::string& name :
       {std::string(), std::string("a b"), std::string("a:b"), std::string("a@b"),
        std::string("'; DROP TABLE run; --"), std::string(101, 'a')})
    EXPECT_THROW(set_baseline(store, {name, "one", "2026-11-20T13:00:00Z"}), Error) << name;
  EXPECT_THROW(set_baseline(store, {"main", "one", "yesterday"}), Error);
  EXPECT_TRUE(store::baselines(store).empty());
  EXPECT_NO_THROW(set_baseline(store, {std::string(100, 'a'), "one", "2026-11-20T13:00:00Z"}));
}

}  // namespace baselines_test
}  // namespace ridgeline::store
