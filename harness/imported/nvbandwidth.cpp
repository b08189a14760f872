#include "harness/imported/nvbandwidth.hpp"

#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/imported/gathering.hpp"
#include "harness/imported/json_file.hpp"
#include "harness/imported/names.hpp"

namespace ridgeline::imported {
namespace {

using json::Value;
using record::Direction;

class Nvbandwidth {
 public:
  explicit Nvbandwidth(const std::string& file) : gathering_(file, "nvbandwidth") {}

  void take(const json::Element& element) {
    const Value& test = element.value;
    const std::string name = text_at(test, "name");
    if (name.empty()) gathering_.refuse(element.line, "a test without a name");
    const std::string status = text_at(test, "status");
    const Value* matrix = test.find("bandwidth_matrix");
    if (status != "Passed" || matrix == nullptr) {
      fail(element.line, name, status, text_at(test, "error"));
      return;
    }
    if (!matrix->is_array()) gathering_.refuse(element.line, "a matrix that is no array");
    std::size_t row = 0, width = 0;
    for (const Value& cells : matrix->elements()) {
      if (!cells.is_array()) gathering_.refuse(element.line, "a row of a matrix that is no array");
      if (row == 0) width = cells.size();
      if (cells.size() != width)
        gathering_.refuse(element.line, "the rows of its matrix have different lengths");
      std::size_t column = 0;
      for (const Value& cell : cells.elements())
        take_cell(element.line, test, name, row, column++, cell);
      ++row;
    }
  }

  Contents finish(const Value& document) {
    const Value* root = document.find("nvbandwidth");
    if (root == nullptr || !root->is_object())
      gathering_.refuse(0,
                        "it has no member nvbandwidth, so it is not what nvbandwidth --json "
                        "writes");
    for (const auto& [key, value] : root->members())
      if (key != "testcases") gathering_.fact(key, text_of(value));
    gathering_.contents.schema = text_at(*root, "version");
    if (const std::string error = text_at(*root, "error"); !error.empty())
      gathering_.flag(0, fmt::format("it reports an error: {}", printable(error, 300)));
    gathering_.flag(0, "it says rates alone: times are those of 1 GiB at the rate, and no samples");
    return gathering_.take();
  }

 private:
  std::size_t row_of(std::size_t line, const std::string& name, const std::string& row,
                     const std::string& column) {
    const std::string key = name + '\n' + row + '\n' + column;
    if (gathering_.has(key))
      gathering_.refuse(line, fmt::format("the test {} stands there twice", printable(name, 100)));
    const std::size_t place = gathering_.row(line, key);
    record::CaseId& id = gathering_[place].case_info.id;
    id = {"nvbandwidth", word(name), std::string(untyped), {}, {}};
    if (row.empty())
      id.problem.push_back({"matrix", "none"});
    else
      id.problem = {{"row", row}, {"column", column}};
    return place;
  }

  void fail(std::size_t line, const std::string& name, const std::string& status,
            const std::string& error) {
    record::Measurement& m = gathering_[row_of(line, name, "", "")].measurement;
    m.outcome = status == "Waived" || status == "Not Found" ? record::Outcome::unsupported
                                                            : record::Outcome::crashed;
    m.reason = fmt::format("imported: {}{}{}", status.empty() ? "no matrix" : status,
                           error.empty() ? "" : ": ", error);
  }

  void take_cell(std::size_t line, const Value& test, const std::string& name, std::size_t row,
                 std::size_t column, const Value& cell) {
    const std::string text = text_of(cell);
    if (text == "N/A") return;  // a device and itself
    const std::optional<double> rate = number_of(cell);
    if (!rate || !std::isfinite(*rate) || *rate <= 0)
      gathering_.refuse(line, fmt::format("the rate of {} in row {}, column {} is {}",
                                          printable(name, 100), row, column, printable(text, 60)));
    const std::size_t place = row_of(line, name, std::to_string(row), std::to_string(column));
    record::Measurement& m = gathering_[place].measurement;
    m.cache = "cold";
    // Latencies are in ns, rates in GB/s (10^9).
    if (name.find("latency") != std::string::npos) {
      gathering_.sample(place, line, *rate, 1);
    } else {
      constexpr double bytes = 1 << 30;
      m.bytes = bytes;
      gathering_.sample(place, line, bytes / *rate, 1);
      gathering_.metric(place, line, "rate", *rate * 1e9, "B/s", Direction::higher);
      gathering_.say(place, "time", "of 1 GiB at the rate");
    }
    if (const std::string what = text_at(test, "bandwidth_description"); !what.empty())
      gathering_.say(place, "description", what);
  }

  Gathering gathering_;
};

}  // namespace

Contents read_nvbandwidth(std::istream& stream, const std::string& file) {
  Nvbandwidth reader(file);
  const Value document = read_json(stream, file, {"nvbandwidth/testcases"},
                                   [&](json::Element&& element) { reader.take(element); });
  return reader.finish(document);
}

}  // namespace ridgeline::imported
