#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::store {

/// A store with the example gate in it.
class Gates : public testing::Test {
 protected:
  Gates() {
    begin_sides(gate);
    begin(store, gate);
  }

  void begin_sides(const record::Gate& of) {
    for (const std::string& id : {of.baseline_run, of.candidate_run})
      begin(store, examples::side(of, id), examples::device(), examples::environment());
  }

  /// One measurement of a side of the gate.
  std::int64_t measure(const std::string& run_id, const record::Measurement& measurement,
                       int round = 0) {
    return add(store, add(store, examples::process(round, run_id)), info, measurement);
  }
  std::int64_t measure(const std::string& run_id, int round = 0) {
    return measure(run_id, examples::measurement(info), round);
  }

  /// What of the store Error that `body` throws; fails when it throws none.
  std::string refusal(const std::function<void()>& body) {
    try {
      body();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "not refused";
    return "";
  }

  record::RunStatus status_of(const std::string& run_id) {
    for (const RunSummary& summary : store::runs(store))
      if (summary.run.id == run_id) return summary.run.status;
    ADD_FAILURE() << "no run " << run_id;
    return record::RunStatus::failed;
  }

  const record::Gate gate = examples::gate();
  const record::Case info = examples::gemm_case();
  Store store = Store::in_memory();
};

}  // namespace ridgeline::store
