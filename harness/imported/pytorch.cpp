#include "harness/imported/pytorch.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "harness/base/sha256.hpp"
#include "harness/base/text.hpp"
#include "harness/imported/gathering.hpp"
#include "harness/imported/json_file.hpp"
#include "harness/imported/lines.hpp"
#include "harness/imported/names.hpp"

namespace ridgeline::imported {
namespace {

using json::Value;
using record::Direction;

/// What a metric's name says of it.
struct Quantity {
  std::string stem;  // without the unit, in small letters
  double ns = 0;     // of one unit of time; 0 when it names none
};

/// "latency" in ms of "Latency (ms)", "latency_ms", "latency[ms]" and "latency ms".
Quantity quantity_of(std::string_view name) {
  constexpr std::pair<std::string_view, double> units[] = {
      {"ns", 1},    {"us", 1e3},      {"ms", 1e6},           {"s", 1e9},
      {"sec", 1e9}, {"seconds", 1e9}, {"milliseconds", 1e6}, {"microseconds", 1e3}};
  std::string low(name);
  std::ranges::transform(low, low.begin(), [](unsigned char c) { return std::tolower(c); });
  while (!low.empty() && (low.back() == ')' || low.back() == ']' || low.back() == ' '))
    low.pop_back();
  const std::size_t end = low.find_last_of("([_ ");
  if (end == std::string::npos) return {low, 0};
  const std::string_view last = std::string_view(low).substr(end + 1);
  for (const auto& [unit, ns] : units)
    if (last == unit) {
      // "tokens_per_s" is a rate.
      std::string stem = low.substr(0, low.find_last_not_of("([_ ", end) + 1);
      if (stem.ends_with("per")) return {low, 0};
      return {std::move(stem), ns};
    }
  return {low, 0};
}

bool is_the_time(std::string_view stem) {
  constexpr std::string_view names[] = {"latency",      "time",           "runtime", "duration",
                                        "elapsed_time", "execution_time", "run_time"};
  return std::ranges::find(names, stem) != std::end(names);
}

bool is_scalar(const Value& value) {
  return value.is_text() || value.is_number() || value.is_bool();
}

class Pytorch {
 public:
  explicit Pytorch(const std::string& file) : gathering_(file, "pytorch") {}

  void take(std::size_t line, const Value& record) {
    if (!record.is_object()) gathering_.refuse(line, "a record that is no object");
    const Value* metric = record.find("metric");
    if (metric == nullptr || !metric->is_object())
      gathering_.refuse(line, "a record without a metric, so it is not of version 3");
    const std::string name = text_at(*metric, "name");
    if (name.empty()) gathering_.refuse(line, "a metric without a name");
    const Value* values = metric->find("benchmark_values");
    if (values == nullptr || !values->is_array() || values->size() == 0)
      gathering_.refuse(line,
                        fmt::format("the metric {} has no benchmark_values", printable(name, 100)));
    const std::size_t row = row_of(line, record);
    const Quantity quantity = quantity_of(name);
    const bool is_time = quantity.ns > 0 && is_the_time(quantity.stem);
    if (is_time) {
      if (!gathering_[row].measurement.samples_ns.empty())
        gathering_.refuse(line, fmt::format("a second time of one case, {}; its case stands first "
                                            "in line {}",
                                            printable(name, 100), gathering_[row].line));
      gathering_.say(row, "time", name);
    }
    if (quantity.ns == 0 && is_the_time(quantity.stem))
      gathering_.flag(line, fmt::format("{} does not name its unit, so it is kept as a metric",
                                        printable(name, 100)));
    for (const Value& value : values->elements()) {
      const std::optional<double> number = number_of(value);
      if (!number)
        gathering_.refuse(line, fmt::format("a value of {} is {}", printable(name, 100),
                                            printable(text_of(value), 60)));
      if (is_time)
        gathering_.sample(row, line, *number * quantity.ns, 1);
      else if (quantity.ns > 0)
        gathering_.metric(row, line, quantity.stem, *number * quantity.ns, "ns", Direction::lower);
      else
        gathering_.metric(row, line, name, *number, "");
    }
    if (const Value* target = metric->find("target_value"); target && !target->is_null())
      if (const auto number = number_of(*target))
        gathering_.metric(row, line, name + ".target", *number, "");
    for (const auto& [key, value] : metric->members())
      if (key != "name" && key != "benchmark_values" && key != "target_value")
        gathering_.say(row, fmt::format("metric.{}.{}", name, key), text_of(value));
  }

  Contents finish() {
    gathering_.contents.schema = "3";
    for (Row& row : gathering_.contents.rows)
      if (row.measurement.samples_ns.empty()) {
        row.measurement.outcome = record::Outcome::not_measured;
        row.measurement.reason = "imported: no record of it says a time and its unit";
      }
    return gathering_.take();
  }

 private:
  std::size_t row_of(std::size_t line, const Value& record) {
    static const Value none = Value::object();
    const auto part = [&](const char* key) -> const Value& {
      const Value* found = record.find(key);
      return found && found->is_object() ? *found : none;
    };
    const Value &benchmark = part("benchmark"), &model = part("model");
    const Value* found = benchmark.find("extra_info");
    const Value& extra = found && found->is_object() ? *found : none;
    record::CaseId id = case_of_record(benchmark, model, extra);
    const std::string key = record::name(id);
    const bool known = gathering_.has(key);
    const std::size_t row = gathering_.row(line, key);
    if (known) return row;
    gathering_[row].case_info.id = std::move(id);
    say_all(row, "benchmark", benchmark, {"extra_info"});
    say_all(row, "extra_info", extra, {});
    say_all(row, "model", model, {});
    read_runners(record);
    constexpr std::string_view others[] = {"metric", "benchmark", "model", "runners",
                                           "dependencies"};
    for (const auto& [member, value] : record.members())
      if (std::ranges::find(others, member) == std::end(others))
        gathering_.say(row, member, text_of(value));
    return row;
  }

  void say_all(std::size_t row, const char* what, const Value& object,
               std::initializer_list<std::string_view> less) {
    for (const auto& [key, value] : object.members())
      if (std::ranges::find(less, key) == less.end())
        gathering_.say(row, fmt::format("{}.{}", what, key), text_of(value));
  }

  static record::CaseId case_of_record(const Value& benchmark, const Value& model,
                                       const Value& extra) {
    if (const auto ours = case_of(text_at(extra, "ridgeline_case"))) return *ours;
    const auto or_else = [](std::string text, std::string_view otherwise) {
      return text.empty() ? std::string(otherwise) : word(text);
    };
    record::CaseId id{or_else(text_at(benchmark, "name"), "pytorch"),
                      or_else(text_at(model, "name"), "no_model"),
                      or_else(text_at(benchmark, "dtype"), untyped),
                      {{"mode", or_else(text_at(benchmark, "mode"), "none")}},
                      {}};
    if (const std::string type = text_at(model, "type"); !type.empty())
      id.problem.push_back({"type", word(type)});
    const std::size_t own = id.problem.size();
    for (const auto& [key, value] : extra.members())
      if (is_scalar(value)) id.problem.push_back({word(key), word(text_of(value))});
    // What is too long for a name is told apart by its hash, and said in full beside it.
    if (record::name(id).size() > 350 || extra.size() > id.problem.size() - own) {
      id.problem.resize(own);
      Sha256 sum;
      sum.add(extra.dump());
      id.problem.push_back({"extra_info", sum.hex().substr(0, 16)});
    }
    return id;
  }

  void read_runners(const Value& record) {
    // Most records of a file have the same ones.
    if (const Value* runners = record.find("runners");
        runners && runners->is_array() && *runners != runners_) {
      runners_ = *runners;
      for (const Value& runner : runners->elements()) {
        const std::string gpu = text_at(runner, "gpu_info");
        if (gathering_.contents.device.empty()) gathering_.contents.device = gpu;
        gathering_.fact("runner " + text_at(runner, "name"), runner.dump());
      }
    }
    if (const Value* dependencies = record.find("dependencies");
        dependencies && dependencies->is_object())
      for (const auto& [key, value] : dependencies->members())
        gathering_.fact("dependency " + key, text_of(value));
  }

  Gathering gathering_;
  Value runners_;  // of the newest record that named other ones
};

}  // namespace

Contents read_pytorch(std::istream& stream, const std::string& file) {
  char first = ' ';
  stream >> std::ws >> first;
  stream.clear();
  stream.seekg(0);
  Pytorch reader(file);
  if (first == '[') {
    read_json(stream, file, {""},
              [&](json::Element&& element) { reader.take(element.line, element.value); });
    return reader.finish();
  }
  Lines lines(stream, file);
  while (lines.next()) {
    if (trimmed(lines.text()).empty()) continue;
    std::istringstream line{std::string(lines.text())};
    Value record;
    try {
      record = json::read_elements(line, {}, [](json::Element&&) {});
      reader.take(lines.number(), record);
    } catch (const json::Error& error) {
      refuse(file, lines.number(), printable(error.what(), 400),
             "a file holds one record a line, or an array");
    }
  }
  return reader.finish();
}

}  // namespace ridgeline::imported
