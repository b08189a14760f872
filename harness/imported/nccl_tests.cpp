#include "harness/imported/nccl_tests.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/imported/collective.hpp"
#include "harness/imported/dates.hpp"
#include "harness/imported/gathering.hpp"
#include "harness/imported/json_file.hpp"
#include "harness/imported/lines.hpp"
#include "harness/imported/names.hpp"
#include "harness/imported/nccl_json.hpp"
#include "harness/imported/nccl_noise.hpp"

namespace ridgeline::imported {
namespace {

using record::Direction;

/// What a column says: of the row, or of a half of it.
enum class Meaning {
  size,
  count,
  type,
  redop,
  root,
  timestamp,
  time,
  algbw,
  busbw,
  wrong,
  error,
  other
};

constexpr std::pair<std::string_view, Meaning> known_columns[] = {
    {"size", Meaning::size},   {"count", Meaning::count},  {"type", Meaning::type},
    {"redop", Meaning::redop}, {"root", Meaning::root},    {"timestamp", Meaning::timestamp},
    {"time", Meaning::time},   {"cputime", Meaning::time}, {"algbw", Meaning::algbw},
    {"busbw", Meaning::busbw}, {"#wrong", Meaning::wrong}, {"error", Meaning::error},
    {"min", Meaning::other},   {"max", Meaning::other},    {"p99", Meaning::other},
    {"cv%", Meaning::other},
};

constexpr bool is_of_row(Meaning meaning) { return meaning <= Meaning::timestamp; }

/// A column of the table, and where its header ends: numbers end there, too.
struct Column {
  std::string name;
  std::size_t end = 0;
  bool in_place = false;
  Meaning meaning = Meaning::other;
};

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

/// The whole number behind `label` in a line: 20 of "... iters: 20 agg ..." for " iters: ".
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view label) {
  const std::size_t found = text.find(label);
  if (found == std::string_view::npos) return std::nullopt;
  const auto parts = tokens(text.substr(found + label.size()));
  return parts.empty() ? std::nullopt : whole(parts.front());
}

class NcclText {
 public:
  explicit NcclText(const std::string& file)
      : gathering_(file, "nccl-tests"), collectives_(gathering_) {
    of_file_ = collective_of(file);
    program_.collective = of_file_;
  }

  void read(Lines& lines) {
    while (lines.next()) {
      line_ = lines.number();
      const PrefixedLine line = without_prefix(lines.text());
      // Ranks other than the one that prints the table have nothing to say to it.
      if (!columns_.empty() && line.prefix != prefix_) {
        if (is_header(line.text))
          gathering_.refuse(line_, "a second program prints between the lines of the first");
        continue;
      }
      read_line(line);
    }
    if (!pending_.empty()) refuse_cut();
  }

  Contents finish() {
    if (gathering_.contents.rows.empty() && columns_.empty())
      gathering_.refuse(0, "it has no table with the columns size, time, algbw and busbw",
                        "write the whole output of the program into the file");
    Contents& contents = gathering_.contents;
    contents.schema = old_ ? "before 2022-08" : per_iteration_ ? "2022-08, with -I" : "2022-08";
    return gathering_.take();
  }

 private:
  void read_line(const PrefixedLine& line) {
    const std::size_t noise = begin_of_noise(line.text);
    const std::string_view own = line.text.substr(0, noise);
    const std::string_view text = trimmed(own);
    // The word in which the log begins may begin with the last number of the row.
    const std::string_view last = tokens_first(line.text.substr(noise));
    if (text.empty() && (columns_.empty() || pending_.empty() || last.empty())) return;
    if (text.empty()) return read_part(own, last);
    if (text.front() == '#') return read_comment(line.prefix, own, text);
    if (columns_.empty()) {
      name_program(text);
      return;
    }
    read_part(own, last);
  }

  static bool is_header(std::string_view text) {
    const auto parts = tokens(text);
    const auto has = [&](std::string_view name) {
      return std::ranges::find(parts, name) != parts.end();
    };
    return !parts.empty() && parts.front().starts_with('#') && has("size") && has("algbw") &&
           has("busbw");
  }

  /// Whatever names the program before its table: the call as a shell echoes it, or its own line.
  void name_program(std::string_view text) {
    for (const std::string_view part : tokens(text))
      if (const std::string collective = collective_of(part); !collective.empty()) {
        begin_program();
        program_.collective = collective;
        gathering_.fact(fmt::format("call {}", executions_), text);
      }
  }

  /// What was said of the program before is no longer so, once that has printed rows.
  void begin_program() {
    if (!has_rows_) return;
    program_ = {};
    program_.collective = of_file_;
    columns_.clear();
    has_rows_ = false;
    rate_sum_ = 0;
    rates_ = 0;
    ++executions_;
  }

  void read_comment(const std::string& prefix, std::string_view own, std::string_view text) {
    if (!pending_.empty()) refuse_cut();
    if (text.starts_with("# Collective test starting:") ||
        text.find("nThread") != std::string_view::npos) {
      begin_program();
      if (text.find("nThread") != std::string_view::npos) read_settings(text);
      if (text.starts_with("# Collective")) name_program(text);
    } else if (is_header(text)) {
      read_header(prefix, own);
    } else if (text.find(" Rank ") != std::string_view::npos &&
               text.find(" device ") != std::string_view::npos) {
      read_rank(text);
    } else if (text.find("out-of-place") != std::string_view::npos ||
               text.find("in-place") != std::string_view::npos) {
      const std::size_t out = text.find("out-of-place");
      in_place_first_ = out == std::string_view::npos || text.find("in-place") < out;
    } else if (text.starts_with("# Avg bus bandwidth") || text.starts_with("# Out of bounds") ||
               text.starts_with("# nccl-tests version") || text.starts_with("# NCCL")) {
      gathering_.fact(
          fmt::format("{} of program {}", trimmed(text.substr(1, text.find(':') - 1)), executions_),
          trimmed(text.substr(text.find(':') + 1)));
      if (text.find("FAILED") != std::string_view::npos)
        gathering_.flag(line_, fmt::format("it says {}", printable(trimmed(text.substr(1)), 200)));
      if (text.starts_with("# Avg bus bandwidth")) check_average(text.substr(text.find(':') + 1));
    }
  }

  /// The mean of every busbw of the program, which rows have with two digits behind the point.
  void check_average(std::string_view said) {
    constexpr double rounding = 0.01, relative = 1e-3;
    const std::optional<double> average = number_of(trimmed(said));
    if (!average || !std::isfinite(*average))
      gathering_.refuse(line_, fmt::format("its average is {}", printable(trimmed(said), 60)));
    const double mean = rates_ > 0 ? rate_sum_ / static_cast<double>(rates_) : 0;
    if (std::abs(*average - mean) > rounding + relative * mean)
      gathering_.flag(line_, fmt::format("it says that busbw is {:.6g} GB/s on average, and its {} "
                                         "are {:.6g} GB/s: rows are missing or were changed",
                                         *average, units::plural(rates_, "value"), mean));
  }

  void read_settings(std::string_view text) {
    gathering_.fact(fmt::format("settings {}", executions_), trimmed(text.substr(1)));
    const std::int64_t iterations = number_behind(text, " iters: ").value_or(1);
    // "warmup iters: 5 iters: 20": the second one counts.
    const std::size_t warmup = text.find("warmup iters: ");
    const std::string_view behind =
        warmup == std::string_view::npos ? text : text.substr(warmup + 14);
    const std::int64_t own = number_behind(behind, " iters: ").value_or(iterations);
    const std::int64_t aggregated = number_behind(text, "agg iters: ").value_or(1);
    if (own < 1 || aggregated < 1 || own > 1'000'000'000 || aggregated > 1'000'000)
      gathering_.refuse(line_, fmt::format("{} iterations of {} calls", own, aggregated));
    program_.iterations = own * aggregated;
  }

  /// "#  Rank  0 Group  0 Pid 123 on host device  0 [0x1b] NVIDIA H100 80GB HBM3"
  void read_rank(std::string_view text) {
    const std::optional<std::int64_t> rank = number_behind(text, " Rank ");
    if (!rank || *rank < 0 || *rank >= 1'000'000)
      gathering_.refuse(line_, "a device without the number of its rank");
    program_.ranks = std::max(program_.ranks, static_cast<int>(*rank) + 1);
    if (*rank < 64) gathering_.fact(fmt::format("rank {}", *rank), trimmed(text.substr(1)));
    const std::size_t bracket = text.find("] ");
    if (bracket == std::string_view::npos) return;
    const std::string device(trimmed(text.substr(bracket + 2)));
    std::string& known = gathering_.contents.device;
    if (!known.empty() && known != device)
      gathering_.flag(line_, fmt::format("its ranks lie on {} and on {}", printable(known, 100),
                                         printable(device, 100)));
    if (known.empty()) known = device;
  }

  void read_header(const std::string& prefix, std::string_view own) {
    prefix_ = prefix;
    columns_.clear();
    std::size_t times = 0;
    for (std::string_view part : tokens(own)) {
      const auto begin = static_cast<std::size_t>(part.data() - own.data());
      const std::size_t end = begin + part.size();
      if (part.starts_with('#') && part != "#wrong") part.remove_prefix(1);
      if (part.empty()) continue;
      if (part.starts_with("i_")) {
        part.remove_prefix(2);
        per_iteration_ = true;
      }
      const auto* known =
          std::ranges::find(known_columns, part, &std::pair<std::string_view, Meaning>::first);
      if (known == std::end(known_columns))
        gathering_.refuse(line_, fmt::format("a column that is called {}", printable(part, 40)));
      if (part == "cputime") program_.cpu_time = true;
      const Meaning meaning = known->second;
      if (meaning == Meaning::time) ++times;
      old_ = old_ || meaning == Meaning::error;
      columns_.push_back({part == "cputime" ? "time" : std::string(part), end,
                          (times == 1 && in_place_first_) || (times == 2 && !in_place_first_),
                          meaning});
    }
    if (times < 1 || times > 2 || columns_.front().name != "size")
      gathering_.refuse(line_,
                        "a table that does not begin with size, and have time once or twice");
    width_ = columns_.size();
  }

  static std::string_view tokens_first(std::string_view text) {
    const auto parts = tokens(text);
    return parts.empty() ? std::string_view() : parts.front();
  }

  /// A part of a row, or all of it; `last` follows it.
  void read_part(std::string_view own, std::string_view last) {
    const auto parts = tokens(own);
    if (pending_.empty()) {
      const bool begins = whole(parts.front()) && (parts.size() == 1 || whole(parts[1]));
      if (!begins) {
        // Text between rows is no row; a program's call begins another table.
        name_program(own);
        return;
      }
      begin_line_ = line_;
    }
    const std::size_t before = pending_.empty() ? 0 : columns_[pending_.size() - 1].end;
    for (const std::string_view part : parts) take(part);
    // Numbers end where the header of their column does.
    if (!last.empty() && !date_ && pending_.size() < width_) {
      const std::size_t begin = before + static_cast<std::size_t>(last.data() - own.data());
      const std::size_t end = columns_[pending_.size()].end;
      if (end > begin && end < begin + last.size()) take(last.substr(0, end - begin));
    }
    if (pending_.size() == width_)
      take_row();
    else if (last.empty())
      refuse_cut();  // nothing but the log comes between the parts of a row
  }

  void take(std::string_view value) {
    if (date_) {  // "2026-11-28 06:30:00" is one column
      pending_.back() += ' ' + std::string(value);
      date_ = false;
      return;
    }
    if (pending_.size() == width_)
      gathering_.refuse(line_, fmt::format("the row has more than its {} columns", width_));
    date_ = columns_[pending_.size()].meaning == Meaning::timestamp &&
            value.find(':') == std::string_view::npos;
    pending_.emplace_back(value);
  }

  [[noreturn]] void refuse_cut() const {
    gathering_.refuse(begin_line_, fmt::format("the row is cut off: it has {} of {} columns",
                                               pending_.size(), width_));
  }

  void take_row() {
    if (date_) return;  // the time of day comes next
    const std::vector<std::string> values = std::exchange(pending_, {});
    CollectiveRow row{begin_line_, executions_, 0, 0, {}, {}, {}};
    std::string stamp;
    for (std::size_t i = 0; i < width_; ++i) {
      const Meaning meaning = columns_[i].meaning;
      if (meaning == Meaning::size || meaning == Meaning::count) {
        const auto number = whole(values[i]);
        if (!number)
          gathering_.refuse(begin_line_,
                            fmt::format("{} is {}", columns_[i].name, printable(values[i], 60)));
        (meaning == Meaning::size ? row.bytes : row.count) = *number;
      } else if (meaning == Meaning::type) {
        row.type = values[i];
      } else if (meaning == Meaning::redop) {
        row.redop = values[i];
      } else if (meaning == Meaning::root) {
        row.root = values[i];
      } else if (meaning == Meaning::timestamp) {
        stamp = values[i];
      }
    }
    for (const bool in_place : {false, true}) take_half(row, values, stamp, in_place);
    has_rows_ = true;
  }

  void take_half(const CollectiveRow& row, const std::vector<std::string>& values,
                 const std::string& stamp, bool in_place) {
    CollectiveHalf half;
    half.in_place = in_place;
    std::vector<std::pair<std::string, double>> others;
    std::size_t numbers = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      const auto& [name, end, is_in_place, meaning] = columns_[i];
      if (is_of_row(meaning) || is_in_place != in_place) continue;
      const std::optional<double> number = number_of(std::string_view(values[i]));
      if (!number && values[i] != "N/A")
        gathering_.refuse(row.line, fmt::format("{} is {}", name, printable(values[i], 60)));
      if (number) ++numbers;
      if (meaning == Meaning::time)
        half.time_us = number;
      else if (meaning == Meaning::algbw)
        half.algbw = number;
      else if (meaning == Meaning::busbw)
        half.busbw = number;
      else if (meaning == Meaning::wrong)
        half.wrong = number;
      else if (number)
        others.emplace_back(name, *number);
      // The old column says how far results were off: what is a number was right.
      if (meaning == Meaning::wrong) half.wrong_text = values[i];
      if (meaning == Meaning::error) {
        half.wrong_text = values[i];
        if (number && !std::isfinite(*number))
          gathering_.refuse(row.line, fmt::format("error is {}", values[i]));
      }
    }
    if (numbers == 0) return;  // this half was not measured
    if (half.busbw) {
      rate_sum_ += *half.busbw;
      ++rates_;
    }
    if (old_ && !half.wrong && half.wrong_text != "N/A") half.wrong = 0;
    const std::size_t place = collectives_.add(program_, row, half);
    if (gathering_[place].measurement.outcome != record::Outcome::unverified) return;
    for (const auto& [name, number] : others) {
      const bool is_time = name == "min" || name == "max" || name == "p99";
      gathering_.metric(place, row.line,
                        is_time         ? "time." + name
                        : name == "cv%" ? "cv"
                                        : name,
                        is_time         ? number * 1e3
                        : name == "cv%" ? number / 100
                                        : number,
                        is_time         ? "ns"
                        : name == "cv%" ? "fraction"
                                        : "",
                        Direction::lower);
    }
    if (!stamp.empty()) gathering_.say(place, "timestamp", stamp);
    if (gathering_.contents.date.empty()) gathering_.contents.date = utc_of(stamp);
  }

  Gathering gathering_;
  Collectives collectives_;
  CollectiveProgram program_;
  std::string of_file_;  // the collective that the file's name names
  std::string prefix_;   // before the lines of the table
  std::vector<Column> columns_;
  std::size_t width_ = 0;
  std::vector<std::string> pending_;  // the columns of a row so far
  bool date_ = false;                 // of which the last is a day without its time
  bool in_place_first_ = false, has_rows_ = false, old_ = false, per_iteration_ = false;
  std::size_t line_ = 0, begin_line_ = 0;
  int executions_ = 0;
  double rate_sum_ = 0;  // of busbw in the program's rows, in GB/s
  std::int64_t rates_ = 0;
};

}  // namespace

Contents read_nccl_tests(std::istream& stream, const std::string& file) {
  char first = ' ';
  stream >> std::ws >> first;
  stream.clear();
  stream.seekg(0);
  if (first == '{') return read_nccl_json(stream, file);
  Lines lines(stream, file);
  NcclText reader(file);
  reader.read(lines);
  return reader.finish();
}

}  // namespace ridgeline::imported
