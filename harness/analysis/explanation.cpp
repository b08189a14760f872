#include "harness/analysis/explanation.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "harness/analysis/roofline.hpp"
#include "harness/base/units.hpp"

namespace ridgeline::analysis {
namespace {

using record::Roof;

/// Bytes of a wavefront: 32 banks of 4 bytes. Source: CUDA C++ Programming Guide, "Shared Memory".
constexpr double wavefront_bytes = 128;

/// Where the number of a case's kernels is not known, launching is left open when no more than so
/// many would fill 60% of its time.
constexpr double few_kernels = 10;

/// Warp instructions that an SM starts each clock, one of each of its schedulers; absent where not
/// known. Source: CUDA C++ Programming Guide, "Compute Capabilities", from 7.x on.
std::optional<double> issue_slots(std::optional<double> capability) {
  return capability.value_or(0) >= 7 ? std::optional(4.0) : std::nullopt;
}

std::optional<double> number(const record::Facts& facts, const std::string& key) {
  const auto found = facts.find(key);
  if (found == facts.end()) return std::nullopt;
  const std::string& text = found->second;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

/// Gathers what is known of one case.
class Gathered {
 public:
  explicit Gathered(const KnownOfCase& known)
      : known_(known), ns_(known.summary.median_ns.value_or(0)) {
    if (known.counted != nullptr) counts_ = counted_work(known.summary.case_info, *known.counted);
  }

  Explanation all() {
    memory();
    if (is_gpu()) {
      l2();
      shared_memory();
    }
    arithmetic();
    if (is_gpu()) {
      issue();
      latency();
      launch();
    }
    std::ranges::stable_sort(found_.usages, [](const Usage& a, const Usage& b) {
      const bool a_last = a.limit == Limit::at_most, b_last = b.limit == Limit::at_most;
      return a_last != b_last ? b_last : a.share > b.share;
    });
    return std::move(found_);
  }

 private:
  struct Amount {
    double value = 0;
    AmountBy by = AmountBy::problem;
    Limit limit = Limit::equal;
  };

  bool is_gpu() const { return known_.device.kind == DeviceKind::cuda; }
  std::optional<double> own(const char* name) const { return metric(known_.summary.metrics, name); }
  const record::CaseId& id() const { return known_.summary.case_info.id; }

  void add(Resource resource, const Amount& amount, const char* unit, double rate,
           std::string rate_of, std::string rate_source = {}) {
    if (amount.value == 0) return;
    if (!(amount.value > 0) || !(rate > 0) || !std::isfinite(amount.value / rate))
      return leave_open(resource, "its amount or its roof is no number to divide by");
    found_.usages.push_back({resource, amount.value, unit, rate, std::move(rate_of),
                             std::move(rate_source), amount.by, amount.limit,
                             amount.value / rate * 1e9 / ns_});
  }
  void add(Resource resource, const Amount& amount, const char* unit, const Roof& roof,
           double per_unit = 1) {
    add(resource, amount, unit, roof.value / per_unit, roof.kind, roof.source);
  }
  void leave_open(Resource resource, std::string why, bool run_tells = false) {
    found_.unknown.push_back({resource, std::move(why), run_tells});
  }

  /// An execution leaves in a cache what is written to DRAM during a later one, so that a count of
  /// one execution alone may be below what the problem needs, and is at least what one kernel
  /// moves. Counters are read with empty caches before each kernel (Nsight Compute Profiling Guide,
  /// "Cache Control"), so that of several kernels they may count what a cache would have kept.
  Amount bytes_of_memory() const {
    Amount amount{known_.summary.bytes.value_or(0), AmountBy::problem, Limit::at_least};
    if (const auto read = own("hardware_dram_read_bytes")) {
      const double counted = *read + own("hardware_dram_written_bytes").value_or(0);
      if (counted > amount.value)
        amount = {counted, AmountBy::counters,
                  own("kernels") == 1.0 ? Limit::at_least : Limit::about};
    } else if (counts_ && counts_->dram_bytes && *counts_->dram_bytes > amount.value) {
      amount = {*counts_->dram_bytes, AmountBy::counts, Limit::about};
    }
    return amount;
  }

  void memory() {
    if (known_.summary.case_info.ranks > 1)
      return leave_open(Resource::dram, "the bytes of a group are not those of a device");
    const Roof* const roof = memory_roof(id(), known_.roofs);
    const bool over_link = roof && record::class_of_roof(roof->kind) == record::RoofClass::link;
    const Resource resource = over_link ? Resource::link : Resource::dram;
    if (option(id(), "cache", "cold") == "hot")
      return leave_open(
          resource, "with cache=hot data may stay in a cache, and counters are of a cold start");
    const Amount amount = bytes_of_memory();
    if (!(amount.value > 0)) return leave_open(resource, "its bytes are not known", true);
    if (!roof) return leave_open(resource, "no roof of memory is known", true);
    add(resource, amount, "B", *roof);
    const double least = known_.summary.bytes.value_or(0);
    if (least > 0 && amount.by != AmountBy::problem) found_.bytes_over_least = amount.value / least;
  }

  void l2() {
    Amount amount;
    if (const auto bytes = own("hardware_l2_bytes"))
      amount = {*bytes, AmountBy::counters, Limit::equal};
    else if (counts_ && counts_->l2_bytes)
      amount = {*counts_->l2_bytes, AmountBy::counts, Limit::at_least};
    else
      return leave_open(Resource::l2, "its bytes are not counted", true);
    const Roof* const roof = highest_roof("llc.", known_.roofs);
    if (!roof) return leave_open(Resource::l2, "the run has no roof of it", true);
    add(Resource::l2, amount, "B", *roof);
  }

  /// Neither counters nor counts have what tensor cores read there by themselves (wgmma); whether
  /// those of a kernel do so, nothing tells.
  void shared_memory() {
    const auto limit = [](bool tensor) { return tensor ? Limit::at_least : Limit::equal; };
    Amount amount;
    if (const auto wavefronts = own("hardware_shared_wavefronts"))
      amount = {*wavefronts, AmountBy::counters,
                limit(own("hardware_tensor_flops").value_or(0) > 0)};
    else if (counts_ && counts_->shared_wavefronts)
      amount = {*counts_->shared_wavefronts, AmountBy::counts, limit(counts_->tensor)};
    else
      return leave_open(Resource::shared_memory, "its wavefronts are not counted", true);
    if (amount.limit == Limit::at_least)
      leave_open(Resource::shared_memory,
                 "what tensor cores read there by themselves is not counted");
    if (!(amount.value > 0)) return;
    const Roof* const roof = highest_roof("shared.", known_.roofs);
    if (!roof) return leave_open(Resource::shared_memory, "the run has no roof of it", true);
    add(Resource::shared_memory, amount, "wavefronts", *roof, wavefront_bytes);
  }

  void arithmetic() {
    const auto cores = own("hardware_flops"), tensor = own("hardware_tensor_flops");
    if (!cores || !tensor) return own_operations();
    // Counters leave out f16 and whatever is no addition or multiplication.
    if (*cores > 0) {
      const char* const kind = id().dtype == "f64" ? "fma.f64" : "fma.f32";
      if (const Roof* const roof = highest_roof(kind, known_.roofs))
        add(Resource::cores, {*cores, AmountBy::counters, Limit::at_least}, "FLOP", *roof);
      else
        leave_open(Resource::cores, fmt::format("no roof {} is known", kind), true);
    }
    if (*tensor > 0) {
      const Roof* roof = compute_roof(id(), known_.roofs);
      if (!roof || record::class_of_roof(roof->kind) != record::RoofClass::tensor)
        roof = id().dtype == "f32" ? highest_roof("tensor.tf32", known_.roofs) : nullptr;
      if (roof)
        add(Resource::tensor_cores, {*tensor, AmountBy::counters, Limit::equal}, "FLOP", *roof);
      else
        leave_open(Resource::tensor_cores,
                   fmt::format("no roof of them for {} is known", id().dtype), true);
    }
    const double needed = known_.summary.flops.value_or(0);
    if (needed > 0) found_.flops_over_own = (*cores + *tensor) / needed;
  }

  /// Of the problem. That they ran on tensor cores is known by a count, or where CUDA cores could
  /// not have been as fast: they compute types of 16 bits at most four times as fast as f32
  /// (analysis/bound.cpp).
  void own_operations() {
    const double needed = known_.summary.flops.value_or(0);
    if (!(needed > 0)) return;
    const Roof* roof = compute_roof(id(), known_.roofs);
    const auto least = least_time(id(), needed, std::nullopt, known_.roofs);
    if (!roof || !least)
      return leave_open(Resource::cores, "no roof of its operations is known", true);
    const bool of_tensor = record::class_of_roof(roof->kind) == record::RoofClass::tensor;
    const Roof* const cores = highest_roof("fma.f32", known_.roofs);
    const bool too_fast = cores && known_.summary.flop_rate.value_or(0) > 4 * cores->value;
    const bool counted = counts_ && counts_->tensor;
    if (of_tensor && !too_fast && !counted)
      return leave_open(Resource::tensor_cores, "whether it computes on them is not counted", true);
    add(of_tensor ? Resource::tensor_cores : Resource::cores,
        {least->ns * roof->value / 1e9, counted ? AmountBy::counts : AmountBy::problem,
         Limit::at_least},
        "FLOP", *roof);
  }

  void issue() {
    const auto instructions = own("hardware_warp_instructions");
    if (!instructions)
      return leave_open(Resource::issue_slots, "instructions are not counted", true);
    const record::Facts& facts = known_.device.properties;
    const auto sms = number(facts, "sms"), each = issue_slots(number(facts, "capability"));
    const auto clock = known_.summary.sm_clock_mhz;
    if (!sms || !each || !clock)
      return leave_open(Resource::issue_slots, "the device's SMs or its clock are not known");
    add(Resource::issue_slots, {*instructions, AmountBy::counters, Limit::equal}, "instructions",
        *sms * *each * *clock * 1e6,
        fmt::format("{:.0f} per clock and SM at {:.0f} MHz", *each, *clock));
  }

  /// A case that says how many bytes an SM asks for before it waits needs at least so many times
  /// the latency of memory without load: bytes in flight are latency times bandwidth (Little's
  /// law).
  void latency() {
    const auto in_flight = own("bytes_in_flight"), sms = number(known_.device.properties, "sms");
    const Roof* const roof = highest_roof("latency.dram", known_.roofs);
    const double bytes = known_.summary.bytes.value_or(0);
    if (!in_flight || !(*in_flight > 0) || !(bytes > 0) || option(id(), "cache", "cold") == "hot")
      return;
    if (!sms || !roof)
      return leave_open(Resource::latency, "the run has no latency of memory", true);
    if (!std::isfinite(1e9 / roof->value)) return leave_open(Resource::latency, "it is no number");
    add(Resource::latency, {bytes / (*in_flight * *sms), AmountBy::device, Limit::at_least}, "1",
        1e9 / roof->value, roof->kind, roof->source);
  }

  /// No launch takes longer than the shortest execution of the run that is launched likewise. What
  /// launching one by one adds is the difference to the same case launched as a graph.
  void launch() {
    const CaseSummary* const graph = known_.launches.as_graph(id());
    if (graph && *graph->median_ns < ns_)
      return add(Resource::launch, {ns_ - *graph->median_ns, AmountBy::times, Limit::equal}, "ns",
                 1e9, record::name(graph->case_info.id));
    const CaseSummary* const shortest = known_.launches.shortest(record::launch_of(id()));
    if (!shortest) return;
    const double most = *shortest->median_ns;
    if (const auto kernels = own("kernels"))
      return add(Resource::launch,
                 {std::min(*kernels * most, ns_), AmountBy::times, Limit::at_most}, "ns", 1e9,
                 record::name(shortest->case_info.id));
    if (ns_ < few_kernels * most / near_share)
      leave_open(
          Resource::launch,
          "how many kernels it starts is not known, and " +
              (ns_ > most
                   ? fmt::format("it takes as long as {} of the shortest executions of this run",
                                 units::plain(ns_ / most))
                   : "nothing that this run launched likewise is shorter"));
  }

  const KnownOfCase& known_;
  double ns_;
  std::optional<CountedWork> counts_;
  Explanation found_;
};

/// The resources whose shares are `least` or more.
std::vector<Resource> busiest(const std::vector<const Usage*>& usages, double least) {
  std::vector<Resource> found;
  for (const Usage* usage : usages)
    if (usage->share >= least) found.push_back(usage->resource);
  return found;
}

void conclude(Explanation& explanation, bool counted) {
  std::vector<const Usage*> usages;
  for (const Usage& usage : explanation.usages)
    if (usage.limit != Limit::at_most) usages.push_back(&usage);
  const double top = usages.empty() ? 0 : usages.front()->share;
  if (top > roof_margin) {
    explanation.conclusion = Conclusion::contradiction;
    explanation.binding = busiest(usages, roof_margin);
  } else if (top >= near_share) {
    explanation.conclusion = top >= bound_share ? Conclusion::bound : Conclusion::near;
    const double least = top >= bound_share ? bound_share : near_share;
    explanation.binding = busiest(usages, std::max(least, top - equal_shares));
  } else {
    const bool may_be_more = std::ranges::any_of(explanation.usages, [](const Usage& usage) {
      return usage.limit == Limit::at_most && usage.share >= near_share;
    });
    explanation.conclusion = counted && explanation.unknown.empty() && !may_be_more
                                 ? Conclusion::nothing
                                 : Conclusion::open;
  }
}

}  // namespace

LaunchTimes::LaunchTimes(const std::vector<CaseSummary>& run) {
  for (const CaseSummary& summary : run) {
    if (!summary.median_ns || !(*summary.median_ns > 0)) continue;
    const record::CaseId& id = summary.case_info.id;
    by_name_.emplace(record::name(id), &summary);
    if (!record::is_success(summary.outcome)) continue;
    const CaseSummary*& least = shortest_[record::launch_of(id)];
    if (!least || *summary.median_ns < *least->median_ns) least = &summary;
  }
}

const CaseSummary* LaunchTimes::shortest(const std::string& launch) const {
  const auto found = shortest_.find(launch);
  return found == shortest_.end() ? nullptr : found->second;
}

const CaseSummary* LaunchTimes::as_graph(const record::CaseId& id) const {
  if (record::launch_of(id) != "single") return nullptr;
  record::CaseId graph = id;
  std::erase_if(graph.options, [](const auto& field) { return field.key == "launch"; });
  const auto found = by_name_.find(record::name(graph));
  return found == by_name_.end() || record::launch_of(graph) != "graph" ? nullptr : found->second;
}

const Usage* Explanation::usage(Resource resource) const {
  const auto found = std::ranges::find(usages, resource, &Usage::resource);
  return found == usages.end() ? nullptr : &*found;
}

Explanation explain(const KnownOfCase& known) {
  Explanation explanation;
  if (!known.summary.median_ns || !(*known.summary.median_ns > 0)) {
    explanation.conclusion = Conclusion::no_time;
    return explanation;
  }
  if (!known.summary.case_info.roof.empty()) {
    explanation.conclusion = Conclusion::roof;
    return explanation;
  }
  explanation = Gathered(known).all();
  conclude(explanation, metric(known.summary.metrics, "hardware_warp_instructions").has_value());
  return explanation;
}

}  // namespace ridgeline::analysis
