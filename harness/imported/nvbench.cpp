#include "harness/imported/nvbench.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/imported/float_file.hpp"
#include "harness/imported/gathering.hpp"
#include "harness/imported/json_file.hpp"
#include "harness/imported/names.hpp"

namespace ridgeline::imported {
namespace {

using json::Value;
using record::Direction;

/// What NVBench calls types of elements, and what we do.
std::string nvbench_dtype(std::string_view type) {
  constexpr std::pair<std::string_view, std::string_view> types[] = {
      {"F16", "f16"},   {"F32", "f32"},   {"F64", "f64"}, {"BF16", "bf16"},
      {"I8", "i8"},     {"I16", "i16"},   {"I32", "i32"}, {"I64", "i64"},
      {"I128", "i128"}, {"U8", "u8"},     {"U16", "u16"}, {"U32", "u32"},
      {"U64", "u64"},   {"U128", "u128"}, {"C32", "c32"}, {"C64", "c64"}};
  const auto* found =
      std::ranges::find(types, type, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(types) ? std::string() : std::string(found->second);
}

/// One quantity of a state: NVBench's tag, hint and first value.
struct Summary {
  std::string tag, hint;
  const Value* value = nullptr;
};

constexpr std::string_view cold_mean = "nv/cold/time/gpu/mean", cold_size = "nv/cold/sample_size",
                           batch_mean = "nv/batch/time/gpu/mean",
                           batch_size = "nv/batch/sample_size",
                           cpu_mean = "nv/cpu_only/time/cpu/mean",
                           cpu_size = "nv/cpu_only/sample_size";

class NvbenchFile {
 public:
  NvbenchFile(const std::string& file, const std::filesystem::path& folder)
      : gathering_(file, "nvbench"), folder_(folder) {}

  void take_state(const json::Element& element) {
    const Value& state = element.value;
    const std::string benchmark = text_at(element.parent, "name");
    if (!state.is_object()) gathering_.refuse(element.line, "a state that is no object");
    if (benchmark.empty())
      gathering_.refuse(element.line, "a state of a benchmark whose name does not stand before it");
    record::CaseId id{"", word(benchmark), "", {}, {}};
    read_axes(element, id);
    const std::vector<Summary> summaries = summaries_of(state);
    // Of all summaries of time one is the case's: what begins with an empty cache comes first.
    const std::string_view time = pick(summaries, {cold_mean, batch_mean, cpu_mean});
    if (time == batch_mean) id.options.push_back({"cache", "hot"});
    if (time == cpu_mean) id.options.push_back({"on", "cpu"});
    const std::string key = id.variant + '/' + record::name(id);
    if (gathering_.has(key))
      gathering_.refuse(element.line, fmt::format("the state {} of {} stands there twice",
                                                  printable(text_at(state, "name"), 200),
                                                  printable(benchmark, 200)));
    const std::size_t row = gathering_.row(element.line, key);
    Row& made = gathering_[row];
    made.case_info.id = std::move(id);
    record::Measurement& m = made.measurement;
    m.cache = time == cold_mean ? "cold" : "hot";
    m.said["benchmark"] = benchmark;
    m.said["state"] = text_at(state, "name");
    if (const std::string device = text_at(state, "device"); !device.empty())
      m.said["device"] = device;
    if (text_at(state, "is_skipped") == "true") {
      m.outcome = record::Outcome::unsupported;
      m.reason = "imported: " + text_at(state, "skip_reason");
      return;
    }
    read_time(row, element.line, time, summaries);
    for (const Summary& summary : summaries)
      if (summary.tag != time) read_summary(row, element.line, summary);
  }

  Contents finish(const Value& document) {
    Contents& contents = gathering_.contents;
    const Value* meta = document.find("meta");
    const Value* version = meta ? meta->find("version") : nullptr;
    const Value* format = version ? version->find("json") : nullptr;
    contents.schema = format ? text_at(*format, "string") : "";
    if (contents.schema.empty())
      gathering_.refuse(0,
                        "it does not say the version of its schema (meta.version.json), so it "
                        "is older than 1.0.0, or not what NVBench writes",
                        "write it with --json FILE of a current NVBench");
    if (!contents.schema.starts_with("1."))
      gathering_.refuse(0, fmt::format("its schema is {}, and this program knows 1",
                                       printable(contents.schema, 60)));
    std::string program = "nvbench";
    if (const Value* call = meta->find("argv"); call && call->is_array() && call->size() > 0) {
      program = program_of(text_of(call->elements().front()), "nvbench");
      gathering_.fact("argv", call->dump());
    }
    if (const Value* tool = version->find("nvbench")) gathering_.fact("nvbench", tool->dump());
    read_devices(document);
    for (Row& row : contents.rows) row.case_info.id.suite = program;
    return gathering_.take();
  }

 private:
  void read_axes(const json::Element& element, record::CaseId& id) const {
    const Value* axes = element.value.find("axis_values");
    std::vector<std::pair<std::string, std::string>> types;
    if (axes != nullptr && !axes->is_null())
      for (const Value& axis : axes->elements()) {
        const std::string name = text_at(axis, "name");
        const std::string value = text_at(axis, "value");
        if (name.empty()) gathering_.refuse(element.line, "an axis without a name");
        if (text_at(axis, "type") == "type") types.emplace_back(name, nvbench_dtype(value));
        id.problem.push_back({word(name), word(value)});
      }
    // One type of elements is the case's. Of several, or where it is none of ours, all are fields.
    id.dtype = untyped;
    if (types.size() == 1 && !types.front().second.empty()) {
      id.dtype = types.front().second;
      std::erase_if(id.problem,
                    [&](const record::Field& f) { return f.key == word(types.front().first); });
    }
    // The states of a benchmark on several devices differ in nothing else.
    const Value* devices = element.parent.find("devices");
    if (devices != nullptr && devices->is_array() && devices->size() > 1)
      id.problem.push_back({"device", word(text_at(element.value, "device"))});
    if (id.problem.empty()) id.problem.push_back({"axes", "none"});
  }

  static std::vector<Summary> summaries_of(const Value& state) {
    std::vector<Summary> summaries;
    const Value* list = state.find("summaries");
    if (list == nullptr || list->is_null()) return summaries;
    for (const Value& entry : list->elements()) {
      Summary summary{text_at(entry, "tag"), text_at(entry, "hint"), nullptr};
      const Value* data = entry.find("data");
      if (data != nullptr && !data->is_null())
        for (const Value& datum : data->elements())
          if (const std::string name = text_at(datum, "name");
              name == "value" || name == "filename")
            summary.value = datum.find("value");
      summaries.push_back(std::move(summary));
    }
    return summaries;
  }

  /// The first of `tags` that there is; empty without any.
  static std::string_view pick(const std::vector<Summary>& summaries,
                               std::initializer_list<std::string_view> tags) {
    for (const std::string_view tag : tags)
      if (std::ranges::find(summaries, tag, &Summary::tag) != summaries.end()) return tag;
    return {};
  }

  static std::optional<double> number(const std::vector<Summary>& summaries, std::string_view tag) {
    const auto found = std::ranges::find(summaries, tag, &Summary::tag);
    return found == summaries.end() || found->value == nullptr ? std::nullopt
                                                               : number_of(*found->value);
  }

  void read_time(std::size_t row, std::size_t line, std::string_view time,
                 const std::vector<Summary>& summaries) {
    record::Measurement& m = gathering_[row].measurement;
    if (time.empty()) gathering_.refuse(line, "a state that was not skipped and has no time");
    const std::optional<double> mean = number(summaries, time);
    const std::optional<double> size = number(summaries, time == cold_mean    ? cold_size
                                                         : time == batch_mean ? batch_size
                                                                              : cpu_size);
    if (!mean) gathering_.refuse(line, fmt::format("{} is no number", time));
    // A device that throttled all the time leaves no sample, and the mean of none.
    if (std::isnan(*mean) && size == 0.0) {
      m.outcome = record::Outcome::not_measured;
      m.reason = "imported: NVBench kept no sample of it";
      return;
    }
    if (time == cold_mean && read_samples(row, line, *mean, summaries)) return;
    gathering_.sample(row, line, *mean * 1e9, 1);
    gathering_.metric(row, line, "mean_of_samples", size.value_or(1), "1");
    means_ = true;
  }

  /// Whether the samples of --jsonbin are there.
  bool read_samples(std::size_t row, std::size_t line, double mean,
                    const std::vector<Summary>& summaries) {
    const auto found =
        std::ranges::find(summaries, "nv/json/bin:nv/cold/sample_times", &Summary::tag);
    if (found == summaries.end() || found->value == nullptr) return false;
    const std::string name = text_of(*found->value);
    gathering_.say(row, "sample_times", name);
    const std::optional<std::vector<float>> times = float_file(folder_, name);
    if (!times || times->empty()) {
      gathering_.flag(line, fmt::format("its samples are not where {} says, so their mean is kept",
                                        printable(name, 200)));
      return false;
    }
    double sum = 0;
    for (const float seconds : *times) {
      gathering_.sample(row, line, double{seconds} * 1e9, 1);
      sum += seconds;
    }
    const double own = sum / static_cast<double>(times->size());
    if (!(std::abs(own - mean) <= 1e-3 * mean))
      gathering_.refuse(line, fmt::format("the mean of the samples in {} is {} s, and it says {} s",
                                          printable(name, 200), own, mean));
    gathering_.metric(row, line, "mean_time", mean * 1e9, "ns", Direction::lower);
    return true;
  }

  /// Tags are paths; seconds and hertz are ours once they are ns and MHz.
  void read_summary(std::size_t row, std::size_t line, const Summary& summary) {
    if (summary.tag.empty() || summary.value == nullptr ||
        summary.tag == "nv/json/bin:nv/cold/sample_times")
      return;
    std::string name = summary.tag;
    std::ranges::replace(name, '/', '.');
    const std::optional<double> value = number_of(*summary.value);
    if (!value) return gathering_.say(row, name, text_of(*summary.value));
    if (summary.hint == "duration")
      gathering_.metric(row, line, name, *value * 1e9, "ns", Direction::lower);
    else if (summary.hint == "byte_rate")
      gathering_.metric(row, line, name, *value, "B/s", Direction::higher);
    else if (summary.hint == "item_rate")
      gathering_.metric(row, line, name, *value, "1/s", Direction::higher);
    else if (summary.hint == "bytes")
      gathering_.metric(row, line, name, *value, "B");
    else if (summary.hint == "frequency")
      gathering_.metric(row, line, name, *value, "Hz");
    else if (summary.hint == "percentage")
      gathering_.metric(row, line, name, *value, "fraction");
    else
      gathering_.metric(row, line, name, *value, summary.hint == "sample_size" ? "1" : "");
    if (summary.tag == "nv/cold/sm_clock_rate/mean" && *value > 0 && *value < 1e12)
      gathering_[row].measurement.telemetry.sm_clock_mhz = *value / 1e6;
  }

  void read_devices(const Value& document) {
    const Value* devices = document.find("devices");
    if (devices == nullptr || !devices->is_array()) return;
    for (const Value& device : devices->elements()) {
      const std::string id = text_at(device, "id"), name = text_at(device, "name");
      gathering_.fact("device " + id, device.dump());
      std::string& known = gathering_.contents.device;
      if (!known.empty() && known != name)
        gathering_.refuse(0,
                          fmt::format("it has results of {} and of {}, which are two models",
                                      printable(known, 100), printable(name, 100)),
                          "write one file a model, with NVBench's --devices");
      known = name;
    }
    if (means_)
      gathering_.flag(0,
                      "the one sample of a case is NVBench's mean of many; with --jsonbin it "
                      "writes them");
  }

  Gathering gathering_;
  std::filesystem::path folder_;
  bool means_ = false;
};

}  // namespace

Contents read_nvbench(std::istream& stream, const std::string& file,
                      const std::filesystem::path& folder) {
  NvbenchFile reader(file, folder);
  const Value document =
      read_json(stream, file, {"benchmarks", "benchmarks/*/states"}, [&](json::Element&& element) {
        if (element.path == 1) reader.take_state(element);
      });
  return reader.finish(document);
}

}  // namespace ridgeline::imported
