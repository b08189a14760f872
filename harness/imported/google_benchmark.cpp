#include "harness/imported/google_benchmark.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/imported/dates.hpp"
#include "harness/imported/gathering.hpp"
#include "harness/imported/json_file.hpp"
#include "harness/imported/names.hpp"

namespace ridgeline::imported {
namespace {

using json::Value;
using record::Direction;

constexpr std::string_view suffix_of_ours = "/iterations:1/manual_time";

/// "BM_Copy<float>/4096/threads:8/real_time" of my_bench is the case
/// my_bench/BM_Copy+3cfloat+3e/untyped/arg0=4096,threads=8,time=real.
record::CaseId case_of_benchmark(std::string_view name, const std::string& suite) {
  if (name.ends_with(suffix_of_ours)) name.remove_suffix(suffix_of_ours.size());
  if (const auto ours = case_of(name)) return *ours;
  record::CaseId id{suite, "", std::string(untyped), {}, {}};
  int arguments = 0;
  for (bool first = true; first || !name.empty(); first = false) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
    const std::size_t colon = part.find(':');
    if (first)
      id.variant = word(part);
    else if (part == "real_time" || part == "process_time" || part == "manual_time")
      id.problem.push_back({"time", std::string(part.substr(0, part.find('_')))});
    else if (colon != std::string_view::npos && colon > 0 && colon + 1 < part.size())
      id.problem.push_back({word(part.substr(0, colon)), word(part.substr(colon + 1))});
    else
      id.problem.push_back({fmt::format("arg{}", arguments++), word(part)});
  }
  if (id.problem.empty()) id.problem.push_back({"arguments", "none"});
  return id;
}

double ns_of_unit(const std::string& unit) {
  if (unit == "ns" || unit.empty()) return 1;
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  return 0;
}

/// What a case's name says of an option; empty when it says nothing.
std::string option_of(const record::CaseId& id, std::string_view key) {
  for (const record::Field& field : id.problem)
    if (field.key == key) return field.value;
  return {};
}

class GoogleBenchmark {
 public:
  explicit GoogleBenchmark(const std::string& file) : gathering_(file, "google-benchmark") {}

  void take(json::Element&& element) {
    const Value& entry = element.value;
    if (!entry.is_object()) gathering_.refuse(element.line, "a benchmark that is no object");
    if (gathering_.contents.rows.empty())
      if (const Value* context = element.parent.find("context"))
        ours_ = context->find("ridgeline_run") != nullptr;
    const std::string name = name_of(entry, element.line);
    const std::string type = text_at(entry, "run_type");
    if (type == "aggregate")
      take_aggregate(name, std::move(element));
    else if (type.empty() || type == "iteration")
      take_iteration(name, element.line, entry);
    else
      gathering_.refuse(element.line, fmt::format("run_type {} is neither iteration nor aggregate",
                                                  printable(type, 60)));
  }

  /// What `ridgeline export` lists beside: cases without a time.
  void take_not_measured(const json::Element& element) {
    if (!ours_ && gathering_.contents.rows.empty())
      if (const Value* context = element.parent.find("context"))
        ours_ = context->find("ridgeline_run") != nullptr;
    if (!ours_) return;
    const std::string name = name_of(element.value, element.line);
    const std::int64_t replicate = whole(element.value, element.line, "replicate", 0);
    const auto outcome = parse<record::Outcome>(text_at(element.value, "outcome"));
    if (replicate < 0 || replicate > 9999 || !outcome || record::has_samples(*outcome) ||
        record::is_success(*outcome) || text_at(element.value, "reason").empty() ||
        gathering_.has(name, static_cast<int>(replicate)))
      gathering_.refuse(element.line, "a case without a time that is not as ridgeline writes it");
    const std::size_t row = row_of(name, element.line, static_cast<int>(replicate));
    gathering_[row].measurement.outcome = *outcome;
    gathering_[row].measurement.reason = text_at(element.value, "reason");
  }

  Contents finish(const Value& document) {
    if (ours_ && document.find("counted") != nullptr)
      gathering_.flag(0, "cases that were counted are not imported: they have no times");
    const Value* context = document.find("context");
    if (context == nullptr || !context->is_object())
      gathering_.refuse(0, "it has no context, so it is not what Google Benchmark writes",
                        "write it with --benchmark_out=FILE --benchmark_out_format=json");
    read_context(*context);
    use_aggregates();
    const std::string suite = program_of(text_at(*context, "executable"), "google-benchmark");
    for (const auto& [name, row] : names_) {
      Row& made = gathering_[row];
      made.case_info.id = case_of_benchmark(name, suite);
      if (record::name(made.case_info.id) != name) made.measurement.said["name"] = name;
      made.measurement.cache = option_of(made.case_info.id, "cache");
    }
    Contents contents = gathering_.take();
    if (derived_ > 0)
      contents.flags.push_back(
          {0, fmt::format("{} aggregates are not stored: they follow from the repetitions",
                          derived_)});
    return contents;
  }

 private:
  std::string name_of(const Value& entry, std::size_t line) const {
    std::string name = text_at(entry, "run_name");
    if (name.empty()) name = text_at(entry, "name");
    if (name.empty()) gathering_.refuse(line, "a benchmark without a name");
    return name;
  }

  /// A whole number of an entry; `otherwise` when there is none.
  std::int64_t whole(const Value& entry, std::size_t line, const char* key,
                     std::int64_t otherwise) const {
    const Value* value = entry.find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_integer())
      gathering_.refuse(
          line, fmt::format("{} is no whole number: {}", key, printable(value->dump(), 60)));
    return value->integer();
  }

  double time_at(const Value& entry, std::size_t line, const char* key) const {
    const std::string unit = text_at(entry, "time_unit");
    const double scale = ns_of_unit(unit);
    if (scale == 0)
      gathering_.refuse(line, fmt::format("time_unit {} is unknown", printable(unit, 60)));
    const Value* value = entry.find(key);
    const std::optional<double> time = value ? number_of(*value) : std::nullopt;
    if (!time) gathering_.refuse(line, fmt::format("there is no {}", key));
    return *time * scale;
  }

  std::size_t row_of(const std::string& name, std::size_t line, int execution) {
    const bool is_new = !gathering_.has(name, execution);
    const std::size_t row = gathering_.row(line, name, execution);
    if (is_new) names_.emplace_back(name, row);
    return row;
  }

  void take_iteration(const std::string& name, std::size_t line, const Value& entry) {
    const std::int64_t repetition = whole(entry, line, "repetition_index", 0);
    if (repetition < 0 || repetition > 1'000'000)
      gathering_.refuse(line, fmt::format("repetition_index {}", repetition));
    const std::int64_t replicate = ours_ ? whole(entry, line, "replicate", 0) : 0;
    if (replicate < 0 || replicate > 9999)
      gathering_.refuse(line, fmt::format("replicate {}", replicate));
    const int execution = static_cast<int>(replicate);
    const bool known = gathering_.has(name, execution);
    const std::size_t row = row_of(name, line, execution);
    const auto last = last_repetition_.find(row);
    if (known && (last == last_repetition_.end() || last->second >= repetition))
      gathering_.refuse(line,
                        fmt::format("the benchmark {} stands in line {} already",
                                    printable(name, 200), gathering_[row].line),
                        "give each benchmark a name of its own");
    last_repetition_[row] = repetition;
    const Value* failed = entry.find("error_occurred");
    const Value* skipped = entry.find("skipped");
    const bool fails = failed != nullptr && failed->is_bool() && failed->boolean();
    const bool skips = skipped != nullptr && skipped->is_bool() && skipped->boolean();
    if (fails || skips) {
      if (!gathering_[row].measurement.samples_ns.empty())
        gathering_.refuse(line, "a repetition that failed after others that did not");
      fail(row, skips ? record::Outcome::unsupported : record::Outcome::crashed,
           text_at(entry, skips ? "skip_message" : "error_message"));
    } else if (gathering_[row].measurement.outcome != record::Outcome::unverified) {
      gathering_.refuse(line, "a repetition that did not fail after another that did");
    } else {
      gathering_.sample(row, line, time_at(entry, line, "real_time"),
                        whole(entry, line, "iterations", 1));
      if (entry.find("cpu_time") != nullptr)
        gathering_.metric(row, line, "cpu_time", time_at(entry, line, "cpu_time"), "ns",
                          Direction::lower);
    }
    take_others(row, line, entry);
  }

  void fail(std::size_t row, record::Outcome outcome, const std::string& message) {
    record::Measurement& m = gathering_[row].measurement;
    m.outcome = outcome;
    m.reason = message.empty() ? "imported: it said that it failed" : "imported: " + message;
  }

  /// Counters, and what else a later version of Google Benchmark or the program itself says.
  void take_others(std::size_t row, std::size_t line, const Value& entry) {
    constexpr std::array<std::string_view, 16> taken{
        "name",           "run_name",       "run_type",       "repetition_index",
        "iterations",     "real_time",      "cpu_time",       "time_unit",
        "error_occurred", "error_message",  "skipped",        "skip_message",
        "repetitions",    "aggregate_name", "aggregate_unit", "threads"};
    record::Measurement& m = gathering_[row].measurement;
    const std::int64_t threads = whole(entry, line, "threads", 1);
    if (threads < 1)
      gathering_.refuse(line, fmt::format("threads is {}, and at least one runs", threads));
    if (threads != 1) gathering_.say(row, "threads", std::to_string(threads));
    for (const auto& [key, value] : entry.members()) {
      if (std::ranges::find(taken, key) != taken.end()) continue;
      const bool is_name = key == "family_index" || key == "per_family_instance_index" ||
                           (value.is_text() && !is_word_for_none(value.text()));
      const std::optional<double> number = is_name ? std::nullopt : number_of(value);
      // What our own files say beside; rates follow from the work.
      if (ours_ && (key == "flop_rate" || key == "byte_rate" || key == "replicate")) continue;
      if (ours_ && key == "original_name") {
        gathering_.say(row, "name", text_of(value));
        continue;
      }
      if (ours_ && number && (key == "flops" || key == "bytes"))
        (key == "flops" ? m.flops : m.bytes) = number;
      else if (number && key == "bytes_per_second")
        gathering_.metric(row, line, key, *number, "B/s", Direction::higher);
      else if (number && key == "items_per_second")
        gathering_.metric(row, line, key, *number, "1/s", Direction::higher);
      else if (number)
        gathering_.metric(row, line, key, *number, "");
      else
        gathering_.say(row, key, text_of(value));
    }
  }

  static bool is_word_for_none(std::string_view text) {
    return text == "NaN" || text == "Infinity" || text == "-Infinity";
  }

  void take_aggregate(const std::string& name, json::Element&& element) {
    const std::string what = text_at(element.value, "aggregate_name");
    if (what.empty()) gathering_.refuse(element.line, "an aggregate without an aggregate_name");
    if (what == "BigO" || what == "RMS") {
      gathering_.flag(element.line,
                      fmt::format("{} is a fit over several cases, which is not stored", what));
      return;
    }
    if (gathering_.has(name)) {
      ++derived_;
      return;
    }
    if (aggregates_.size() == max_rows)
      gathering_.refuse(element.line, fmt::format("it holds more than {} aggregates", max_rows));
    if (!aggregates_.try_emplace({name, what}, std::pair(element.line, std::move(element.value)))
             .second)
      gathering_.refuse(element.line, fmt::format("the {} of {} stands there twice",
                                                  printable(what, 60), printable(name, 200)));
  }

  /// Those of benchmarks whose repetitions are not in the file.
  void use_aggregates() {
    for (const auto& [key, held] : aggregates_) {
      const auto& [name, what] = key;
      const auto& [line, entry] = held;
      if (what != "median") continue;
      const std::size_t row = row_of(name, line, 0);
      // Its "iterations" are the repetitions.
      gathering_.sample(row, line, time_at(entry, line, "real_time"), 1);
      if (entry.find("cpu_time") != nullptr)
        gathering_.metric(row, line, "cpu_time", time_at(entry, line, "cpu_time"), "ns",
                          Direction::lower);
      take_others(row, line, entry);
      gathering_.say(row, "aggregate", "median");
      gathering_.say(row, "repetitions", std::to_string(whole(entry, line, "repetitions", 0)));
    }
    for (const auto& [key, held] : aggregates_) {
      const auto& [name, what] = key;
      const auto& [line, entry] = held;
      if (!gathering_.has(name))
        gathering_.refuse(
            line, fmt::format("{} has neither repetitions nor their median", printable(name, 200)));
      if (what == "median") continue;
      const std::size_t row = row_of(name, line, 0);
      const bool relative = text_at(entry, "aggregate_unit") == "percentage";
      for (const char* time : {"real_time", "cpu_time"}) {
        const Value* value = entry.find(time);
        if (value == nullptr) continue;
        const double number =
            relative ? number_of(*value).value_or(missing) : time_at(entry, line, time);
        gathering_.metric(row, line, fmt::format("{}.{}", time, what), number,
                          relative ? "fraction" : "ns", Direction::lower);
      }
    }
    if (!aggregates_.empty())
      gathering_.flag(0,
                      "of some benchmarks it holds aggregates alone: their median is kept as "
                      "one sample");
  }

  void read_context(const Value& context) {
    Contents& contents = gathering_.contents;
    for (const auto& [key, value] : context.members()) gathering_.fact(key, text_of(value));
    contents.date = utc_of(text_at(context, "date"));
    contents.schema = text_at(context, "json_schema_version");
    if (!contents.schema.empty() && contents.schema != "1")
      gathering_.refuse(0, fmt::format("its json_schema_version is {}, and 1 is the newest that "
                                       "this program knows",
                                       printable(contents.schema, 60)));
    if (text_at(context, "library_build_type") == "debug")
      gathering_.flag(0, "the library of Google Benchmark is a debug build, which is slower");
    if (text_at(context, "cpu_scaling_enabled") == "true")
      gathering_.flag(0, "the CPU's clock was scaled, so that times are noisy");
  }

  static constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  Gathering gathering_;
  bool ours_ = false;  // ridgeline export wrote it
  std::vector<std::pair<std::string, std::size_t>> names_;
  std::map<std::size_t, std::int64_t> last_repetition_;
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, Value>> aggregates_;
  std::int64_t derived_ = 0;
};

}  // namespace

Contents read_google_benchmark(std::istream& stream, const std::string& file) {
  GoogleBenchmark reader(file);
  const Value document =
      read_json(stream, file, {"benchmarks", "not_measured"}, [&](json::Element&& element) {
        if (element.path == 1)
          reader.take_not_measured(element);
        else
          reader.take(std::move(element));
      });
  return reader.finish(document);
}

}  // namespace ridgeline::imported
