#include "harness/imported/collective.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/imported/names.hpp"
#include "harness/record/rule.hpp"

namespace ridgeline::imported {
namespace {

using record::Direction;

struct Known {
  std::string_view program, ours;
  enum class Factor { twice, once, one } factor;  // 2(n-1)/n, (n-1)/n, 1
};
constexpr Known collectives[] = {
    {"all_reduce", "all_reduce", Known::Factor::twice},
    {"all_gather", "all_gather", Known::Factor::once},
    {"reduce_scatter", "reduce_scatter", Known::Factor::once},
    {"alltoall", "all_to_all", Known::Factor::once},
    {"broadcast", "broadcast", Known::Factor::one},
    {"reduce", "reduce", Known::Factor::one},
    {"sendrecv", "send_recv", Known::Factor::one},
    {"gather", "gather", Known::Factor::once},
    {"scatter", "scatter", Known::Factor::once},
    {"hypercube", "hypercube", Known::Factor::once},
    {"alltoallv", "all_to_all_v", Known::Factor::once},
};

std::string nccl_dtype(std::string_view type) {
  constexpr std::pair<std::string_view, std::string_view> types[] = {
      {"float", "f32"},   {"double", "f64"},    {"half", "f16"},    {"bfloat16", "bf16"},
      {"int8", "i8"},     {"uint8", "u8"},      {"int32", "i32"},   {"uint32", "u32"},
      {"int64", "i64"},   {"uint64", "u64"},    {"int", "i32"},     {"char", "i8"},
      {"f8e4m3", "e4m3"}, {"fp8_e4m3", "e4m3"}, {"f8e5m2", "e5m2"}, {"fp8_e5m2", "e5m2"}};
  const auto* found =
      std::ranges::find(types, type, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(types) ? word(type) : std::string(found->second);
}

bool is_rate(const std::optional<double>& rate) {
  return !rate || (std::isfinite(*rate) && *rate >= 0);
}

}  // namespace

std::string collective_of(std::string_view program) {
  program = program.substr(program.find_last_of('/') + 1);
  const std::size_t end = program.find("_perf");
  if (end == std::string_view::npos) return {};
  const std::string_view name = program.substr(0, end);
  const auto* found = std::ranges::find(collectives, name, &Known::program);
  return found == std::end(collectives) ? std::string() : std::string(found->ours);
}

std::optional<double> bus_factor(std::string_view collective, int ranks) {
  const auto* found = std::ranges::find(collectives, collective, &Known::ours);
  if (found == std::end(collectives) || ranks < 1) return std::nullopt;
  const double n = ranks;
  if (found->factor == Known::Factor::one) return 1;
  return (found->factor == Known::Factor::twice ? 2 : 1) * (n - 1) / n;
}

void Collectives::doubt(bool& told, std::size_t line, std::string what) {
  if (!told) gathering_.flag(line, std::move(what));
  told = true;
}

void Collectives::check(const CollectiveProgram& program, const CollectiveRow& row,
                        const CollectiveHalf& half) {
  for (const auto& [name, rate] : {std::pair("algbw", half.algbw), std::pair("busbw", half.busbw)})
    if (!is_rate(rate)) gathering_.refuse(row.line, fmt::format("{} is {} GB/s", name, *rate));
  if (half.wrong && !(std::isfinite(*half.wrong) && *half.wrong >= 0))
    gathering_.refuse(row.line, fmt::format("{} wrong elements", *half.wrong));
  if (program.ranks == 1)
    doubt(told_alone_, row.line,
          "one rank alone: its times are those of a copy, and no "
          "communication");
  // Numbers are printed with two decimals, and with two digits where they are large.
  constexpr double rounding = 0.0051, relative = 0.011;
  if (half.algbw && half.time_us && *half.time_us > 0 && !program.cpu_time) {
    const double rate = static_cast<double>(row.bytes) / *half.time_us / 1e3;
    if (std::abs(rate - *half.algbw) > rounding + relative * std::max(rate, *half.algbw))
      doubt(told_rate_, row.line,
            fmt::format("algbw is {} GB/s, and {} bytes in {} us are {:.4g} GB/s", *half.algbw,
                        row.bytes, *half.time_us, rate));
  }
  const auto factor = bus_factor(program.collective, program.ranks);
  if (factor && half.algbw && half.busbw &&
      std::abs(*factor * *half.algbw - *half.busbw) >
          rounding * (1 + *factor) + relative * *half.busbw)
    doubt(told_ranks_, row.line,
          fmt::format("busbw over algbw is {:.4g}; of {} with {} ranks it is {:.4g}",
                      *half.busbw / *half.algbw, program.collective, program.ranks, *factor));
  if (!half.wrong)
    doubt(told_unchecked_, row.line, "nccl-tests itself did not check this result (#wrong is N/A)");
}

std::size_t Collectives::add(const CollectiveProgram& program, const CollectiveRow& row,
                             const CollectiveHalf& half) {
  if (program.collective.empty())
    gathering_.refuse(row.line, "nothing before this row says which collective was measured",
                      "keep the line with the program's call in the file, or the program's name, "
                      "such as all_reduce_perf, in the name of the file");
  if (program.ranks < 1)
    gathering_.refuse(row.line, "nothing before this row says how many ranks there were",
                      "keep the lines that begin with #");
  if (row.bytes < 0 || row.count < 0 || row.bytes > record::largest_count)
    gathering_.refuse(row.line, fmt::format("a message of {} bytes", row.bytes));
  check(program, row, half);
  const std::size_t place = place_of(program, row, half);
  record::Measurement& m = gathering_[place].measurement;
  if (half.wrong && *half.wrong > 0) {
    // A wrong result has no time. What was said of it stays as text.
    if (!m.samples_ns.empty())
      gathering_.refuse(row.line, "a wrong result of a case that was right before");
    m.outcome = record::Outcome::wrong_result;
    m.reason = fmt::format("imported: nccl-tests found {} wrong elements", *half.wrong);
    gathering_.say(place, "time_us", half.time_us ? fmt::format("{}", *half.time_us) : "");
    return place;
  }
  if (m.outcome != record::Outcome::unverified)
    gathering_.refuse(row.line, "a right result of a case that was wrong before");
  if (!half.time_us) gathering_.refuse(row.line, "a row without a time");
  gathering_.sample(place, row.line, *half.time_us * 1e3, program.iterations);
  for (const auto& [name, rate] : {std::pair("algbw", half.algbw), std::pair("busbw", half.busbw)})
    if (rate) gathering_.metric(place, row.line, name, *rate * 1e9, "B/s", Direction::higher);
  if (half.wrong)
    gathering_.metric(place, row.line, "wrong", *half.wrong, "1", Direction::lower);
  else if (!half.wrong_text.empty())
    gathering_.say(place, "wrong", half.wrong_text);
  gathering_.metric(place, row.line, "count", static_cast<double>(row.count), "1");
  return place;
}

std::size_t Collectives::place_of(const CollectiveProgram& program, const CollectiveRow& row,
                                  const CollectiveHalf& half) {
  // By all that the name is made of, which takes far longer. Sizes keep texts with spaces apart.
  const std::string said =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", row.execution, program.collective,
                  program.ranks, program.iterations, program.cpu_time, half.in_place, row.bytes,
                  row.type.size(), row.redop.size(), row.type, row.redop, row.root);
  if (const auto found = places_.find(said); found != places_.end()) return found->second;
  record::CaseId id{"collectives",
                    "nccl",
                    nccl_dtype(row.type),
                    {{"op", program.collective},
                     {"ranks", std::to_string(program.ranks)},
                     {"bytes", std::to_string(row.bytes)},
                     {"mode", "pipelined"},
                     {"calls", std::to_string(program.iterations)}},
                    {}};
  if (!row.redop.empty() && row.redop != "none" && row.redop != "sum")
    id.options.push_back({"redop", word(row.redop)});
  if (!row.root.empty() && row.root != "-1" && row.root != "0")
    id.options.push_back({"root", word(row.root)});
  if (program.cpu_time) id.options.push_back({"time", "cpu"});
  if (half.in_place) id.options.push_back({"place", "in"});
  const std::string key = record::name(id);
  const bool known = gathering_.has(key, row.execution);
  const std::size_t place = gathering_.row(row.line, key, row.execution);
  Row& made = gathering_[place];
  if (!known) {
    made.case_info.id = std::move(id);
    made.case_info.ranks = program.ranks;
    made.measurement.bytes = static_cast<double>(row.bytes);
    made.measurement.launch = "loop";
  }
  places_.emplace(said, place);
  return place;
}

}  // namespace ridgeline::imported
