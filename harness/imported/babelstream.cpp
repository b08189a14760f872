#include "harness/imported/babelstream.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/imported/gathering.hpp"
#include "harness/imported/json_file.hpp"
#include "harness/imported/lines.hpp"
#include "harness/imported/names.hpp"

namespace ridgeline::imported {
namespace {

using record::Direction;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t end = std::min(line.find(','), line.size());
    cells.push_back(trimmed(line.substr(0, end)));
    if (end == line.size()) return cells;
    line.remove_prefix(end + 1);
  }
}

/// How many arrays a kernel moves, where we know it.
std::optional<double> arrays_of(std::string_view kernel) {
  constexpr std::pair<std::string_view, int> kernels[] = {{"Copy", 2},  {"Mul", 2}, {"Add", 3},
                                                          {"Triad", 3}, {"Dot", 2}, {"Nstream", 4}};
  for (const auto& [name, arrays] : kernels)
    if (name == kernel) return arrays;
  return std::nullopt;
}

class BabelStream {
 public:
  explicit BabelStream(const std::string& file) : gathering_(file, "babelstream") {}

  void read(Lines& lines) {
    while (lines.next()) {
      const std::string_view text = trimmed(lines.text());
      const auto cells = cells_of(text);
      line_ = lines.number();
      if (cells.front() == "function" || cells.front() == "phase")
        begin_table(cells);
      else if (columns_.empty() || text.empty() || cells.size() == 1)
        read_preamble(text);
      else
        take_row(cells);
    }
  }

  Contents finish() {
    if (executions_ < 0)
      gathering_.refuse(0, "it has no line that begins with function,num_times",
                        "run BabelStream with --csv");
    gathering_.flag(0, "the one sample of a kernel is the mean of num_times - 1 executions");
    return gathering_.take();
  }

 private:
  /// "Version: 5.0", "Using CUDA device NVIDIA H200"
  void read_preamble(std::string_view text) {
    if (text.empty()) return;
    constexpr std::string_view device = "Using CUDA device ";
    if (text.starts_with(device)) gathering_.contents.device = text.substr(device.size());
    const std::size_t colon = text.find(": ");
    if (colon != std::string_view::npos && colon < 60)
      gathering_.fact(text.substr(0, colon), text.substr(colon + 2));
    else
      gathering_.fact(fmt::format("line {}", line_), text);
  }

  void begin_table(const std::vector<std::string_view>& cells) {
    columns_.assign(cells.begin(), cells.end());
    is_phase_ = cells.front() == "phase";
    if (is_phase_) return;
    ++executions_;
    constexpr std::string_view known[] = {"function",           "num_times",
                                          "n_elements",         "sizeof",
                                          "max_mbytes_per_sec", "max_mibytes_per_sec",
                                          "max_MB_per_sec",     "max_MiB_per_sec",
                                          "gbytes_per_sec",     "gibytes_per_sec",
                                          "min_runtime",        "max_runtime",
                                          "avg_runtime",        "runtime"};
    for (const std::string& column : columns_)
      if (std::ranges::find(known, column) == std::end(known))
        gathering_.refuse(line_, fmt::format("a column that is called {}", printable(column, 60)));
    for (const std::string& column : columns_)
      if (std::ranges::count(columns_, column) > 1)
        gathering_.refuse(line_, fmt::format("there are two columns {}", column));
    const auto has = [&](const char* column) { return std::ranges::count(columns_, column) == 1; };
    for (const char* needed : {"num_times", "n_elements", "sizeof"})
      if (!has(needed)) gathering_.refuse(line_, fmt::format("there is no column {}", needed));
    if (has("min_runtime") != has("max_runtime"))
      gathering_.refuse(line_, "of min_runtime and max_runtime there is one alone");
  }

  void take_row(const std::vector<std::string_view>& cells) {
    if (cells.size() != columns_.size())
      gathering_.refuse(line_, fmt::format("the row has {} cells, and its header has {}",
                                           cells.size(), columns_.size()));
    std::map<std::string, double> numbers;
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const std::optional<double> number = number_of(cells[i]);
      if (!number || !std::isfinite(*number) || *number <= 0)
        gathering_.refuse(line_, fmt::format("{} is {}", columns_[i], printable(cells[i], 60)));
      numbers[columns_[i]] = *number;
    }
    if (is_phase_) {
      gathering_.fact(fmt::format("phase {}", cells.front()),
                      fmt::format("{}", numbers["runtime"]));
      return;
    }
    take_kernel(std::string(cells.front()), numbers);
  }

  std::int64_t whole(const std::map<std::string, double>& numbers, const char* name) const {
    const double number = numbers.at(name);
    if (number != std::floor(number) || number > 1e15)
      gathering_.refuse(line_, fmt::format("{} is {}", name, number));
    return static_cast<std::int64_t>(number);
  }

  void take_kernel(const std::string& kernel, const std::map<std::string, double>& numbers) {
    const std::int64_t size = whole(numbers, "sizeof"), n = whole(numbers, "n_elements"),
                       times = whole(numbers, "num_times");
    if (size != 4 && size != 8)
      gathering_.refuse(line_,
                        fmt::format("elements of {} bytes: float has 4, and double 8", size));
    const std::string key = kernel + ' ' + std::to_string(size) + ' ' + std::to_string(n);
    if (gathering_.has(key, executions_))
      gathering_.refuse(line_,
                        fmt::format("the kernel {} stands there twice", printable(kernel, 100)));
    const std::size_t row = gathering_.row(line_, key, executions_);
    Row& made = gathering_[row];
    made.case_info.id = {
        "babelstream", word(kernel), size == 4 ? "f32" : "f64", {{"n", std::to_string(n)}}, {}};
    made.measurement.cache = "cold";
    const std::optional<double> arrays = arrays_of(kernel);
    if (arrays)
      made.measurement.bytes = *arrays * static_cast<double>(size) * static_cast<double>(n);
    const bool whole_loop = numbers.contains("runtime");  // of --triad-only: of all executions
    if (!whole_loop && !numbers.contains("avg_runtime"))
      gathering_.refuse(line_, "there is neither runtime nor avg_runtime");
    const double seconds =
        whole_loop ? numbers.at("runtime") / static_cast<double>(times) : numbers.at("avg_runtime");
    gathering_.sample(row, line_, seconds * 1e9, whole_loop ? times : 1);
    gathering_.metric(row, line_, "num_times", static_cast<double>(times), "1");
    for (const char* name : {"min_runtime", "max_runtime"})
      if (numbers.contains(name))
        gathering_.metric(row, line_, name, numbers.at(name) * 1e9, "ns", Direction::lower);
    check(numbers, row, seconds);
  }

  void check(const std::map<std::string, double>& numbers, std::size_t row, double mean) {
    if (numbers.contains("min_runtime") &&
        !(numbers.at("min_runtime") <= 1.001 * mean && mean <= 1.001 * numbers.at("max_runtime")))
      gathering_.refuse(line_, "its mean time does not lie between its least and its greatest");
    constexpr std::pair<const char*, double> rates[] = {
        {"max_mbytes_per_sec", 1e6},  {"max_MB_per_sec", 1e6}, {"max_mibytes_per_sec", 1048576},
        {"max_MiB_per_sec", 1048576}, {"gbytes_per_sec", 1e9}, {"gibytes_per_sec", 1073741824}};
    for (const auto& [name, scale] : rates) {
      if (!numbers.contains(name)) continue;
      const double rate = numbers.at(name) * scale;
      gathering_.metric(row, line_, "rate", rate, "B/s", Direction::higher);
      const double least = numbers.contains("min_runtime") ? numbers.at("min_runtime") : mean;
      const auto& bytes = gathering_[row].measurement.bytes;
      if (bytes && std::abs(rate * least - *bytes) > 0.02 * *bytes)
        gathering_.flag(line_, fmt::format("{} is {}, and {} bytes in {} s are another rate", name,
                                           numbers.at(name), *bytes, least));
    }
  }

  Gathering gathering_;
  std::vector<std::string> columns_;
  bool is_phase_ = false;
  int executions_ = -1;
  std::size_t line_ = 0;
};

}  // namespace

Contents read_babelstream(std::istream& stream, const std::string& file) {
  Lines lines(stream, file);
  BabelStream reader(file);
  reader.read(lines);
  return reader.finish();
}

}  // namespace ridgeline::imported
