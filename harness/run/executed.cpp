#include "harness/run/executed.hpp"

#include <algorithm>

#include "harness/analysis/summary.hpp"

namespace ridgeline::run {

using record::Outcome;

bool is_cut_off(const record::Measurement& measurement, double case_timeout_s) {
  return measurement.outcome == Outcome::not_measured ||
         (measurement.outcome == Outcome::timeout && measurement.total_ns < case_timeout_s * 1e9);
}

Executed::Executed(const std::vector<store::StoredMeasurement>& measurements,
                   double case_timeout_s) {
  for (const store::StoredMeasurement& stored : measurements) {
    int& attempts = attempts_[{record::name(stored.case_info.id), stored.replicate}];
    attempts = std::max(attempts, stored.measurement.attempt);
  }
  for (const analysis::CaseProcesses& last_attempts : analysis::by_case(measurements))
    for (const store::StoredMeasurement* stored : last_attempts) {
      const record::Measurement& m = stored->measurement;
      if (is_cut_off(m, case_timeout_s)) continue;
      const std::string name = record::name(stored->case_info.id);
      ended_.emplace(name, stored->replicate);
      any_.insert(name);
      if (m.outcome == Outcome::unsupported || m.outcome == Outcome::unavailable)
        decided_.insert(name);
    }
}

bool Executed::has(const std::string& name, int replicate) const {
  return decided_.contains(name) || ended_.contains({name, replicate});
}

int Executed::left(const std::string& name, int replicates) const {
  int left = 0;
  for (int replicate = 0; replicate < replicates; ++replicate) left += !has(name, replicate);
  return left;
}

int Executed::attempts(const std::string& name, int replicate) const {
  const auto found = attempts_.find({name, replicate});
  return found == attempts_.end() ? 0 : found->second;
}

}  // namespace ridgeline::run
