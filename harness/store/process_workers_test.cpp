#include "harness/store/process_workers.hpp"

#include <gtest/gtest.h>

#include "harness/store/examples.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::store {
namespace process_workers_test {

TEST(ProcessWorkers, EachProcessOfTheRunHasTheWorkerOfItsBuild) {
  Store store = Store::in_memory();
  const std::string other = "20261121T124501Z-000000";
  begin(store, examples::run(), examples::device(), examples::environment());
  begin(store, examples::run(other), examples::device(), examples::environment());
  record::Process own = examples::process(1);
  own.build.worker = "my-kernels";
  const std::int64_t first = add(store, examples::process(0)), second = add(store, own);
  add(store, examples::process(0, other));
  EXPECT_EQ(
      process_workers(store, examples::run().id),
      (std::map<std::int64_t, std::string>{{first, "ridgeline-suites"}, {second, "my-kernels"}}));
}

}  // namespace process_workers_test
}  // namespace ridgeline::store
