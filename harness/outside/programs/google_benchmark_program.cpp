#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/json.hpp"
#include "harness/base/text.hpp"
#include "harness/imported/google_benchmark.hpp"
#include "harness/outside/programs/kinds.hpp"
#include "harness/outside/programs/started.hpp"

namespace ridgeline::outside {
namespace {

/// A regular expression that matches `name` alone, to POSIX and to ECMAScript.
std::string only(std::string_view name) {
  std::string escaped = "^";
  for (const char c : name) {
    if (std::string_view(".[]{}()\\*+?|^$").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped + '$';
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

class GoogleBenchmark final : public BenchProgram {
 public:
  GoogleBenchmark(std::filesystem::path program, std::vector<std::string> arguments)
      : program_(std::move(program)), arguments_(std::move(arguments)) {}

  /// Names become cases as the reader of results makes them, which is given results without times
  /// that mean anything.
  std::vector<Listed> list() override {
    std::vector<std::string> arguments = arguments_;
    arguments.emplace_back("--benchmark_list_tests=true");
    const std::vector<std::string> names = lines_of(run_for_output(program_, arguments));
    if (names.empty())
      throw Error(ErrorKind::dependency,
                  fmt::format("{} lists no benchmarks", program_.filename().string()));
    json::Value benchmarks = json::Value::array();
    std::set<std::string> seen;
    for (const std::string& name : names) {
      if (!seen.insert(name).second)
        throw Error(ErrorKind::dependency,
                    fmt::format("{} lists the benchmark {} twice", program_.filename().string(),
                                printable(name)),
                    "give each benchmark a name of its own");
      benchmarks.push_back({{"name", name},
                            {"run_name", name},
                            {"real_time", 1},
                            {"time_unit", "ns"},
                            {"iterations", 1}});
    }
    const json::Value document{{"context", {{"executable", program_.string()}}},
                               {"benchmarks", benchmarks}};
    std::istringstream stream(document.dump());
    std::vector<Listed> listed;
    const imported::Contents read =
        imported::read_google_benchmark(stream, "the list of " + program_.filename().string());
    for (std::size_t i = 0; i < read.rows.size(); ++i)
      listed.push_back({read.rows[i].case_info, names.at(i)});
    return listed;
  }

  /// Repetitions are the samples, as long each as half of the budget allows: finding out how many
  /// iterations a repetition takes costs as much again. A gate asks for as many samples as its
  /// block has time for.
  record::Measurement measure(const Listed& wanted, const std::string&,
                              const protocol::Sample& how) override {
    const ResultsFolder folder;
    constexpr double shortest_s = 0.001, longest_s = 0.5;  // a repetition
    constexpr double least = 8;  // repetitions, however little time there is for them
    const double half_s = 0.5 * how.budget_ns * 1e-9,
                 wanted_count = std::clamp(how.min_samples, 1, std::max(how.max_samples, 1));
    const int repetitions =
        static_cast<int>(std::min(wanted_count, std::max(least, half_s / shortest_s)));
    const double seconds = std::clamp(half_s / repetitions, shortest_s, longest_s);
    // What the user gives comes later, and counts; how results are written comes last.
    std::vector<std::string> arguments{fmt::format("--benchmark_repetitions={}", repetitions),
                                       fmt::format("--benchmark_min_time={:.4f}", seconds)};
    arguments.insert(arguments.end(), arguments_.begin(), arguments_.end());
    arguments.insert(arguments.end(),
                     {"--benchmark_filter=" + only(wanted.name), "--benchmark_list_tests=false",
                      "--benchmark_out=" + folder.file().string(), "--benchmark_out_format=json"});
    const imported::Contents found =
        run_for_results(program_, arguments, folder.file(), imported::read_google_benchmark);
    const auto row = std::ranges::find_if(
        found.rows, [&](const imported::Row& each) { return each.case_info.id == wanted.info.id; });
    if (row == found.rows.end())
      throw Error(ErrorKind::dependency,
                  fmt::format("{} wrote no result of {}", program_.filename().string(),
                              printable(wanted.name)));
    return row->measurement;
  }

 private:
  std::filesystem::path program_;
  std::vector<std::string> arguments_;
};

}  // namespace

std::unique_ptr<BenchProgram> google_benchmark(std::filesystem::path program,
                                               std::vector<std::string> arguments) {
  return std::make_unique<GoogleBenchmark>(std::move(program), std::move(arguments));
}

}  // namespace ridgeline::outside
