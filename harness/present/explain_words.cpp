#include "harness/present/explain_words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/comparison.hpp"

namespace ridgeline::present {
namespace {

using analysis::AmountBy;
using analysis::Conclusion;
using analysis::Explanation;
using analysis::Limit;
using analysis::Resource;
using analysis::Usage;

constexpr std::size_t longest_case = 400;

/// "at least 90%".
std::string busy_share(const Usage& usage) {
  const char* const limit = usage.limit == Limit::at_least  ? "at least "
                            : usage.limit == Limit::at_most ? "at most "
                            : usage.limit == Limit::about   ? "about "
                                                            : "";
  return limit + units::percent(usage.share);
}

/// "16.7 billion instructions".
std::string many(double value, const std::string& noun) {
  struct Step {
    double size;
    const char* word;
  };
  constexpr Step steps[] = {{1e12, "trillion "}, {1e9, "billion "}, {1e6, "million "}};
  for (const auto& [size, word] : steps)
    if (value >= size) return fmt::format("{} {}{}", units::plain(value / size), word, noun);
  return fmt::format("{} {}", units::plain(value), noun);
}

std::string amount_by(AmountBy by) {
  switch (by) {
    case AmountBy::counters:
      return "hardware counters";
    case AmountBy::counts:
      return "emulated counts";
    case AmountBy::problem:
      return "what the problem needs";
    case AmountBy::device:
      return "bytes in flight";
    case AmountBy::times:
      return "times of this run";
  }
  return {};
}

std::string usage_amount(const Usage& usage) {
  if (usage.resource == Resource::latency) return units::plain(usage.amount) + " waits";
  if (usage.unit == "B") return units::bytes(usage.amount);
  if (usage.unit == "ns") return units::time(usage.amount);
  if (usage.unit == "FLOP") return units::in(units::unit_for(usage.amount, "FLOP"), usage.amount);
  return many(usage.amount, usage.unit);
}

std::string usage_rate(const Usage& usage) {
  if (usage.resource == Resource::latency) return units::time(1e9 / usage.rate) + " each";
  if (usage.unit == "ns") return "";
  return usage.unit == "B" || usage.unit == "FLOP" ? units::quantity(usage.rate, usage.unit + "/s")
                                                   : many(usage.rate, usage.unit + "/s");
}

std::string rate_by(const Usage& usage) {
  const std::string of = printable(usage.rate_of, longest_case);
  if (usage.resource == Resource::launch)
    return (usage.limit == Limit::at_most ? "shortest of the run: " : "longer than ") + of;
  return usage.rate_source.empty() ? of : fmt::format("{}, {}", of, printable(usage.rate_source));
}

/// "busy for 92% of the time".
std::string busy(const Usage& usage, DeviceKind kind) {
  if (usage.resource == Resource::latency)
    return fmt::format("latency of memory: waits take {} of the time", busy_share(usage));
  if (usage.resource == Resource::launch)
    return fmt::format("launching, which takes {} of the time", busy_share(usage));
  return fmt::format("{}, busy for {} of the time", resource_name(usage.resource, kind),
                     busy_share(usage));
}

std::string binding_text(const Explanation& found, DeviceKind kind) {
  std::vector<std::string> parts;
  for (const Resource resource : found.binding)
    if (const Usage* const usage = found.usage(resource)) parts.push_back(busy(*usage, kind));
  return fmt::format("{}", fmt::join(parts, "; and "));
}

/// The busiest that is known.
const Usage* nearest(const Explanation& found) {
  const auto at = std::ranges::find_if(
      found.usages, [](const Usage& usage) { return usage.limit != Limit::at_most; });
  return at == found.usages.end() ? nullptr : &*at;
}

std::string launch_note(const Explanation& found) {
  if (std::ranges::find(found.unknown, Resource::launch, &analysis::UnknownUsage::resource) !=
      found.unknown.end())
    return " It is so short that launching may bound it.";
  const Usage* const launch = found.usage(Resource::launch);
  if (!launch || launch->limit != Limit::at_most || launch->share < analysis::near_share) return "";
  return fmt::format(
      " It takes little longer than the shortest execution of this run, so that "
      "launching may be up to {} of it.",
      units::percent(launch->share));
}

std::string conclusion_text(const ExplainedCase& explained, DeviceKind kind) {
  const Explanation& found = explained.explanation;
  const Usage* const most = nearest(found);
  const std::string limit = units::percent(analysis::near_share);
  switch (found.conclusion) {
    case Conclusion::bound:
      return "Bound by " + binding_text(found, kind) + ".";
    case Conclusion::near:
      return fmt::format("Nothing is at its limit; nearest to it is {}.",
                         binding_text(found, kind)) +
             launch_note(found);
    case Conclusion::nothing:
      return fmt::format(
          "Bound by nothing that was measured: of what is counted, nothing is busy for {} "
          "of the time{}. What remains is what no counter here shows: waiting (latency, "
          "barriers, too few warps or blocks, one kernel for another), L1, special "
          "functions, integers.",
          limit, most ? ", and most is " + busy(*most, kind) : "");
    case Conclusion::open:
      return fmt::format(
                 "Not known: nothing that was counted is busy for {} of the time, and not "
                 "everything was counted.{}",
                 limit, most ? " Most is " + busy(*most, kind) + "." : "") +
             launch_note(found);
    case Conclusion::contradiction:
      return fmt::format(
          "The numbers contradict each other: {}. Its data came from elsewhere, it needed less "
          "than was counted, or a number is wrong, so that nothing is concluded.",
          binding_text(found, kind));
    case Conclusion::roof:
      return fmt::format("It measures the roof {}: what it measures bounds it, by design.",
                         printable(explained.summary.case_info.roof));
    case Conclusion::no_time:
      return fmt::format("It has no time here, so that nothing can be explained ({}).",
                         analysis::in_words(explained.summary.outcome, explained.summary.reason));
  }
  return {};
}

std::vector<std::string> distance_texts(const ExplainedCase& explained, DeviceKind kind) {
  const Explanation& found = explained.explanation;
  const analysis::CaseSummary& summary = explained.summary;
  std::vector<std::string> texts;
  if (found.conclusion == Conclusion::bound || found.conclusion == Conclusion::near) {
    const Usage* const most = found.usage(found.binding.front());
    texts.push_back(
        fmt::format("{}, the same work would take {}{}, {} of its time",
                    most->resource == Resource::latency
                        ? "with waits as short as without load"
                        : "at the highest rate of " + resource_name(most->resource, kind),
                    most->limit == Limit::at_least ? "no less than "
                    : most->limit == Limit::about  ? "about "
                                                   : "",
                    units::time(most->share * *summary.median_ns), units::percent(most->share)));
    if (most->resource == Resource::launch)
      texts.back() = fmt::format("without launching one by one it takes {}",
                                 units::time((1 - most->share) * *summary.median_ns));
  }
  if (summary.share_of_roof && summary.median_ns)
    texts.push_back(fmt::format("the roofs allow the problem {} ({}), {} of its time",
                                units::time(*summary.share_of_roof * *summary.median_ns),
                                printable(summary.roof), units::percent(*summary.share_of_roof)));
  constexpr double worth_saying = 1.1;
  if (found.bytes_over_least.value_or(0) > worth_saying)
    texts.push_back(fmt::format("it moves {} times the bytes of memory that the problem needs",
                                units::plain(*found.bytes_over_least)));
  if (found.flops_over_own.value_or(0) > worth_saying)
    texts.push_back(fmt::format("it executes {} times the operations that the problem needs",
                                units::plain(*found.flops_over_own)));
  return texts;
}

std::vector<std::string> doubt_texts(const ExplainedCase& explained, DeviceKind kind) {
  const analysis::CaseSummary& summary = explained.summary;
  std::vector<std::string> texts;
  if (!summary.median_ns) return texts;
  if (!record::is_success(summary.outcome))
    texts.push_back("its time is " + analysis::in_words(summary.outcome, summary.reason));
  if (summary.disturbed) texts.push_back("every process of it was disturbed");
  if (summary.beats_roof)
    texts.push_back("it is faster than its roof allows, which is a measuring error");
  for (const Usage& usage : explained.explanation.usages) {
    if (usage.limit == Limit::about && usage.share >= analysis::near_share)
      texts.push_back(
          usage.amount_by == AmountBy::counters
              ? "its bytes of DRAM were counted with empty caches before each kernel, which its "
                "time does not have, and without what it leaves in a cache"
              : "its bytes of DRAM are those of a model of the cache");
    if (usage.rate_source.empty() || usage.rate_source == record::measured_source) continue;
    texts.push_back(
        usage.rate_source == record::unsteady_source
            ? fmt::format("the roof {} is unsteady", printable(usage.rate_of))
            : fmt::format("this run did not measure {}, so that {} is judged by a datasheet",
                          printable(usage.rate_of), resource_name(usage.resource, kind)));
  }
  return texts;
}

std::vector<std::string> device_texts(const ExplainedCase& explained) {
  const Circumstances& of = explained.circumstances;
  std::vector<std::string> texts;
  if (of.clock_mhz)
    texts.push_back(
        fmt::format("SM clock {:.0f} MHz", *of.clock_mhz) +
        (of.most_clock_mhz ? fmt::format(", of at most {:.0f}", *of.most_clock_mhz) : ""));
  if (of.power_w)
    texts.push_back(fmt::format("highest reading of power {:.0f} W", *of.power_w) +
                    (of.power_limit_w ? fmt::format(", of {:.0f} W", *of.power_limit_w) : ""));
  if (of.throttled > 0)
    texts.push_back(fmt::format(
        "it gave a reason to limit its clock in {} of {} ({})", of.throttled,
        units::plural(static_cast<std::int64_t>(of.processes), "process"), printable(of.throttle)));
  if (explained.occupancy)
    texts.push_back(fmt::format(
        "{} of an SM's warps {}", units::percent(*explained.occupancy),
        explained.occupancy_ran
            ? "ran, counted on the device"
            : "fit, as an emulated device counted in run " + printable(explained.counted_run)));
  return texts;
}

/// "shared memory 92% to 14%": what became most different of it, at most three resources.
std::string changes(const Explanation& before, const Explanation& after, DeviceKind kind) {
  std::vector<std::pair<double, std::string>> found;
  for (const Usage& one : before.usages) {
    const Usage* const other = after.usage(one.resource);
    if (!other || one.limit == Limit::at_most || other->amount_by != one.amount_by) continue;
    if (std::abs(other->share - one.share) < analysis::equal_shares) continue;
    found.emplace_back(std::abs(other->share - one.share),
                       fmt::format("{} {} to {}", resource_name(one.resource, kind),
                                   units::percent(one.share), units::percent(other->share)));
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &std::pair<double, std::string>::first);
  constexpr std::size_t most = 3;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) texts.push_back(found[i].second);
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string gain_words(const analysis::SpeedUp& gain) {
  return short_ratio(gain.ratio) +
         (gain.interval ? fmt::format(" ({})", ratio_range(*gain.interval)) : "");
}

std::string ladder_text(const NextRung& next, const Explanation& own, DeviceKind kind) {
  const std::string title = printable(next.ladder);
  if (next.name.empty())
    return fmt::format("{}: the last rung", title) +
           (next.over_reference
                ? fmt::format("; {} times as fast as {}", gain_words(*next.over_reference),
                              printable(next.reference, longest_case))
                : "");
  std::string text = fmt::format("{}: next is {}", title, printable(next.name, longest_case));
  if (!next.idea.empty()) text += fmt::format(" ({})", printable(next.idea, longest_case));
  if (!next.gain) return text + "; this run has no time of it";
  text += fmt::format(", {} times as fast", gain_words(*next.gain));
  const std::string what = next.explanation ? changes(own, *next.explanation, kind) : "";
  return text + (what.empty() ? "" : "; busy: " + what);
}

}  // namespace

std::string resource_name(Resource resource, DeviceKind kind) {
  switch (resource) {
    case Resource::dram:
      return "DRAM";
    case Resource::link:
      return "the link to the host";
    case Resource::l2:
      return "L2";
    case Resource::shared_memory:
      return "shared memory";
    case Resource::cores:
      return kind == DeviceKind::cuda ? "CUDA cores" : "cores";
    case Resource::tensor_cores:
      return "tensor cores";
    case Resource::issue_slots:
      return "issue slots";
    case Resource::latency:
      return "latency";
    case Resource::launch:
      return "launch";
  }
  return {};
}

std::vector<Table::Column> usage_columns() {
  using Align = Table::Align;
  return {{"resource"},
          {"busy", Align::right},
          {"amount", Align::right},
          {"highest rate", Align::right},
          {"amount by", Align::left, true},
          {"rate by", Align::left, true}};
}

std::vector<std::string> usage_cells(const Usage& usage, DeviceKind kind) {
  return {resource_name(usage.resource, kind),
          busy_share(usage),
          usage_amount(usage),
          usage_rate(usage),
          amount_by(usage.amount_by),
          rate_by(usage)};
}

ExplainWords explain_words(const ExplainedCase& explained, const record::Device& device) {
  ExplainWords words;
  words.conclusion = conclusion_text(explained, device.kind);
  words.distance = distance_texts(explained, device.kind);
  words.doubts = doubt_texts(explained, device.kind);
  words.device = device_texts(explained);
  for (const NextRung& next : explained.ladders)
    words.ladders.push_back(ladder_text(next, explained.explanation, device.kind));
  return words;
}

}  // namespace ridgeline::present
