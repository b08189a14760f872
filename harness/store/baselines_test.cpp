#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::store {
namespace {

class Baselines : public testing::Test {
 protected:
  Baselines() {
    store.begin(examples::run("one"), examples::device(), examples::environment());
    store.begin(examples::run("two"), examples::device(), examples::environment());
  }
  Store store = Store::in_memory();
};

TEST_F(Baselines, AreListedByNameAndReplaced) {
  EXPECT_TRUE(store.baselines().empty());
  store.set_baseline({"main", "one", "2026-11-20T13:00:00Z"});
  store.set_baseline({"v1.0-rc_2", "one", "2026-11-20T13:00:01Z"});
  store.set_baseline({"main", "two", "2026-11-20T13:00:02Z"});
  const auto all = store.baselines();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "main");
  EXPECT_EQ(all[0].run_id, "two");
  EXPECT_EQ(all[0].set_at, "2026-11-20T13:00:02Z");
  EXPECT_EQ(all[1].name, "v1.0-rc_2");
}

TEST_F(Baselines, AreRemovedOnce) {
  store.set_baseline({"main", "one", "2026-11-20T13:00:00Z"});
  EXPECT_FALSE(store.remove_baseline("mai"));
  EXPECT_TRUE(store.remove_baseline("main"));
  EXPECT_FALSE(store.remove_baseline("main"));
  EXPECT_TRUE(store.baselines().empty());
}

TEST_F(Baselines, StandForARunThatIsThereUnderAPlainName) {
  EXPECT_THROW(store.set_baseline({"main", "three", "2026-11-20T13:00:00Z"}), Error);
  for (const std::string& name : {std::string(), std::string("a b"), std::string("a:b"), std::string("a@b"),
                                  std::string("'; DROP TABLE run; --"), std::string(101, 'a')})
    EXPECT_THROW(store.set_baseline({name, "one", "2026-11-20T13:00:00Z"}), Error) << name;
  EXPECT_THROW(store.set_baseline({"main", "one", "yesterday"}), Error);
  EXPECT_TRUE(store.baselines().empty());
  EXPECT_NO_THROW(store.set_baseline({std::string(100, 'a'), "one", "2026-11-20T13:00:00Z"}));
}

}  // namespace
}  // namespace ridgeline::store
