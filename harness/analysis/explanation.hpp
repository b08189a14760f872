#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/bound.hpp"
#include "harness/analysis/summary.hpp"
#include "harness/base/names.hpp"
#include "harness/record/run.hpp"

/// What bounds a case, as far as what is stored of it shows; docs/explain.md states the rule.
namespace ridgeline::analysis {

/// What can keep a case from being faster. `cores` are a GPU's CUDA cores, or a CPU's.
enum class Resource {
  dram,
  link,
  l2,
  shared_memory,
  cores,
  tensor_cores,
  issue_slots,
  latency,
  launch
};
inline std::span<const Name<Resource>> names(Resource) {
  static constexpr Name<Resource> resources[] = {
      {Resource::dram, "dram"},
      {Resource::link, "link"},
      {Resource::l2, "l2"},
      {Resource::shared_memory, "shared_memory"},
      {Resource::cores, "cores"},
      {Resource::tensor_cores, "tensor_cores"},
      {Resource::issue_slots, "issue_slots"},
      {Resource::latency, "latency"},
      {Resource::launch, "launch"},
  };
  return resources;
}

/// Who says how much of a resource a case used.
enum class AmountBy {
  counters,  // of the hardware
  counts,    // of an emulated device
  problem,   // the operations and bytes that it needs, whatever computes it
  device,    // what the case itself read of the device
  times      // of other cases of the run
};
inline std::span<const Name<AmountBy>> names(AmountBy) {
  static constexpr Name<AmountBy> sources[] = {
      {AmountBy::counters, "counters"}, {AmountBy::counts, "counts"},
      {AmountBy::problem, "problem"},   {AmountBy::device, "device"},
      {AmountBy::times, "times"},
  };
  return sources;
}

/// Which side the true share lies on; `about` where the amount is a model's, or was counted under
/// other circumstances than the time.
enum class Limit { equal, about, at_least, at_most };
inline std::span<const Name<Limit>> names(Limit) {
  static constexpr Name<Limit> limits[] = {{Limit::equal, "equal"},
                                           {Limit::about, "about"},
                                           {Limit::at_least, "at_least"},
                                           {Limit::at_most, "at_most"}};
  return limits;
}

/// How busy a case kept one resource.
struct Usage {
  Resource resource = Resource::dram;
  double amount = 0;        // of one execution
  std::string unit;         // of the amount: "B", "FLOP", "wavefronts", "instructions", "ns", "1"
  double rate = 0;          // the highest, of the amount's unit a second
  std::string rate_of;      // the roof's kind, the name of a case, or what the rate follows from
  std::string rate_source;  // as Roof::source; empty where the rate is of no roof
  AmountBy amount_by = AmountBy::problem;
  Limit limit = Limit::equal;
  double share = 0;  // amount over rate over the case's time
};

/// A resource of which nothing is known, or only that its usage is at least what stands among the
/// usages; and why.
struct UnknownUsage {
  Resource resource = Resource::dram;
  std::string why;
  bool run_tells = false;  // a run with hardware counters and all roofs would tell
};

enum class Conclusion {
  bound,          // a resource is busy for 80% of the time or more
  near,           // none is, and one is for 60%
  nothing,        // all that counters know was counted, and nothing reaches 60%
  open,           // nothing is known to reach 60%, and not everything was counted
  contradiction,  // a resource would have been busy for longer than the case took
  roof,           // the case measures a ceiling: it is bound by what it measures, by design
  no_time         // it has none
};
inline std::span<const Name<Conclusion>> names(Conclusion) {
  static constexpr Name<Conclusion> conclusions[] = {
      {Conclusion::bound, "bound"},     {Conclusion::near, "near"},
      {Conclusion::nothing, "nothing"}, {Conclusion::open, "open"},
      {Conclusion::roof, "roof"},       {Conclusion::contradiction, "contradiction"},
      {Conclusion::no_time, "no_time"},
  };
  return conclusions;
}

/// Shares from which a resource bounds a case, or comes near. Source: the limits of Nsight
/// Compute's section "GPU Speed Of Light Throughput".
inline constexpr double bound_share = 0.8, near_share = 0.6;
/// Resources whose shares differ by less bound a case together.
inline constexpr double equal_shares = 0.05;

struct Explanation {
  Conclusion conclusion = Conclusion::open;
  std::vector<Resource> binding;      // where the conclusion is bound, near or contradiction
  std::vector<Usage> usages;          // the busiest first, what is only at most known last
  std::vector<UnknownUsage> unknown;  // in the order of Resource
  std::optional<double> bytes_over_least, flops_over_own;  // counted, over what the problem needs

  const Usage* usage(Resource resource) const;  // null where it is not known
};

/// What the times of a run say of launching.
class LaunchTimes {
 public:
  /// Points into `run`, all cases of it.
  explicit LaunchTimes(const std::vector<CaseSummary>& run);

  /// The case of the shortest time among those that are launched so ("graph"); null without one.
  const CaseSummary* shortest(const std::string& launch) const;
  /// The same case launched as a graph, where it has a time; null for any that is not launched one
  /// by one.
  const CaseSummary* as_graph(const record::CaseId& id) const;

 private:
  std::map<std::string, const CaseSummary*> shortest_, by_name_;
};

/// What is known of a case on one device.
struct KnownOfCase {
  const CaseSummary& summary;
  const record::Device& device;
  const std::vector<record::Roof>& roofs;        // of the run
  const LaunchTimes& launches;                   // of the run
  const record::Measurement* counted = nullptr;  // the same case on the emulated device that runs
                                                 // this device's code; null without
};

Explanation explain(const KnownOfCase& known);

}  // namespace ridgeline::analysis
