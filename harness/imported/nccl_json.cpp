#include "harness/imported/nccl_json.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/imported/collective.hpp"
#include "harness/imported/dates.hpp"
#include "harness/imported/gathering.hpp"
#include "harness/imported/json_file.hpp"
#include "harness/imported/lines.hpp"

namespace ridgeline::imported {
namespace {

using json::Value;
using record::Direction;

/// Where a member may stand: older versions have the devices beside the configuration.
const Value* find_in(const Value& document, std::string_view key) {
  if (const Value* config = document.find("config"))
    if (const Value* found = config->find(key)) return found;
  return document.find(key);
}

class NcclJson {
 public:
  explicit NcclJson(const std::string& file)
      : gathering_(file, "nccl-tests"), collectives_(gathering_) {
    program_.collective = collective_of(file);
  }

  void take(const json::Element& element) {
    const Value& result = element.value;
    if (!begun_) begin(element.parent, element.line);
    begun_ = true;
    if (!result.is_object()) gathering_.refuse(element.line, "a result that is no object");
    CollectiveRow row{element.line,
                      0,
                      whole(result, element.line, "size"),
                      whole(result, element.line, "count"),
                      text_at(result, "type"),
                      text_at(result, "redop"),
                      std::string(trimmed(text_at(result, "root")))};
    CollectiveProgram program = program_;
    if (const Value* actual = result.find("actual_iterations");
        actual && actual->is_integer() && actual->integer() > 0 && actual->integer() < 1 << 30)
      program.iterations = aggregated_ * actual->integer();
    bool any = false;
    for (const bool in_place : {false, true}) {
      const Value* half = result.find(in_place ? "in_place" : "out_of_place");
      if (half == nullptr || half->is_null()) continue;
      any = true;
      take_half(program, row, *half, in_place,
                result.find(in_place ? "in_place_per_iter" : "out_of_place_per_iter"));
    }
    if (!any) gathering_.refuse(element.line, "a result neither out of place nor in place");
  }

  Contents finish(const Value& document) {
    if (!begun_) begin(document, 0);
    Contents& contents = gathering_.contents;
    contents.date = utc_of(text_at(document, "start_time"));
    for (const char* key : {"args", "config", "nccl_version", "start_time", "end_time", "errors",
                            "out_of_bounds", "average_bus_bandwidth"})
      if (const Value* found = document.find(key)) gathering_.fact(key, text_of(*found));
    if (const Value* bounds = document.find("out_of_bounds"))
      if (number_of(std::string_view(text_at(*bounds, "count"))).value_or(0) > 0)
        gathering_.flag(0, "it counts values that were out of bounds");
    return gathering_.take();
  }

 private:
  void begin(const Value& document, std::size_t line) {
    const std::string version = text_at(document, "version");
    if (version.size() != 1 || version < "1" || version > "4")
      gathering_.refuse(line, version.empty()
                                  ? "it does not say its version before its results, so it is "
                                    "not what nccl-tests writes"
                                  : fmt::format("its version is {}, and this program knows 1 to 4",
                                                printable(version, 40)));
    gathering_.contents.schema = version;
    if (const Value* call = document.find("args"); call && call->is_array() && call->size() > 0)
      if (const std::string named = collective_of(text_of(call->elements().front()));
          !named.empty())
        program_.collective = named;
    const auto number = [&](std::string_view key, std::int64_t otherwise) {
      const Value* found = find_in(document, key);
      return found && found->is_integer() && found->integer() > 0 && found->integer() < 1 << 20
                 ? found->integer()
                 : otherwise;
    };
    aggregated_ = number("aggregated_iterations", 1);
    program_.iterations = number("iterations", 1) * aggregated_;
    // Without MPI it lists the first device alone, and with it those of all processes.
    std::int64_t ranks =
        std::min<std::int64_t>(number("nthreads", 1) * number("ngpus", 1), 1 << 20);
    if (const Value* devices = find_in(document, "devices"); devices && devices->is_array())
      for (const Value& device : devices->elements()) {
        const Value* rank = device.find("rank");
        if (rank && rank->is_integer() && rank->integer() < 1 << 20)
          ranks = std::max(ranks, rank->integer() + 1);
        if (gathering_.contents.device.empty())
          gathering_.contents.device = text_at(device, "device_info");
      }
    program_.ranks = static_cast<int>(ranks);
  }

  std::int64_t whole(const Value& result, std::size_t line, const char* key) const {
    const Value* found = result.find(key);
    if (found == nullptr || !found->is_integer())
      gathering_.refuse(line, fmt::format("{} is no whole number", key));
    return found->integer();
  }

  static std::optional<double> number_at(const Value& object, std::string_view key) {
    const Value* found = object.find(key);
    return found ? number_of(*found) : std::nullopt;
  }

  void take_half(CollectiveProgram program, const CollectiveRow& row, const Value& given,
                 bool in_place, const Value* per_iteration) {
    CollectiveHalf half;
    half.in_place = in_place;
    program.cpu_time = given.find("cpu_time") != nullptr;
    half.time_us = number_at(given, program.cpu_time ? "cpu_time" : "time");
    half.algbw = number_at(given, "alg_bw");
    half.busbw = number_at(given, "bus_bw");
    half.wrong = number_at(given, "nwrong");
    if (!half.wrong) half.wrong_text = "N/A";
    const std::size_t place = collectives_.add(program, row, half);
    if (per_iteration == nullptr || !per_iteration->is_object() ||
        gathering_[place].measurement.outcome != record::Outcome::unverified)
      return;
    for (const auto& [key, value] : per_iteration->members()) {
      const std::optional<double> number = number_of(value);
      if (!number)
        gathering_.say(place, "iterations." + key, text_of(value));
      else if (key.ends_with("_us"))
        gathering_.metric(place, row.line, "time." + key.substr(0, key.size() - 3), *number * 1e3,
                          "ns", Direction::lower);
      else
        gathering_.metric(place, row.line, key == "cv_pct" ? "cv" : key,
                          key == "cv_pct" ? *number / 100 : *number,
                          key == "cv_pct" ? "fraction" : "", Direction::lower);
    }
  }

  Gathering gathering_;
  Collectives collectives_;
  CollectiveProgram program_;
  std::int64_t aggregated_ = 1;
  bool begun_ = false;
};

}  // namespace

Contents read_nccl_json(std::istream& stream, const std::string& file) {
  NcclJson reader(file);
  const Value document =
      read_json(stream, file, {"results"}, [&](json::Element&& element) { reader.take(element); });
  return reader.finish(document);
}

}  // namespace ridgeline::imported
