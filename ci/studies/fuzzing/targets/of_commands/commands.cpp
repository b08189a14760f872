#include <algorithm>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "ci/studies/fuzzing/targets/changed_store.hpp"
#include "harness/base/json.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/main.hpp"
#include "harness/gate/request.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/repeat_of.hpp"
#include "harness/present/report_data.hpp"
#include "harness/present/shown_gate.hpp"
#include "harness/store/selector.hpp"

/// Commands that read results, on a file in which values were changed. The first byte says which,
/// the rest what is changed.
namespace ridgeline::fuzzing::targets {

namespace {

namespace fs = std::filesystem;

const std::string first = "20261101T120000Z-000001", second = "20261102T120000Z-000002",
                  counts = "20261120T100000Z-c00001", gate_id = "20261120T130000Z-9a7e00";

const std::vector<std::vector<std::string>> lines{
    {"runs"},
    {"runs", "--json"},
    {"show", first},
    {"show", "--json", first},
    {"show", "--samples", "gemm", first},
    {"show", "--sort", "roof", second},
    {"show", "--json", counts},
    {"show", "--listing", "gemm", counts},
    {"show", gate_id},
    {"show", "--json", gate_id},
    {"show", "--samples", "gemm", gate_id},
    {"compare", first, second},
    {"compare", "--json", first, second},
    {"compare", "--markdown", first, second},
    {"compare", "--csv", first, second},
    {"explain", "*"},
    {"explain", "*", first, "--json"},
    {"trend"},
    {"trend", "--json", "--series"},
    {"trend", "--fail-on-new", "--by-model"},
    {"export", "csv", first},
    {"export", "jsonl", first},
    {"export", "google-benchmark", second},
    {"baseline", "list", "--json"},
    {"prune", "--older-than", "1d", "--dry-run"},
    {"gate", "--baseline", first, "--candidate", second, "--json"},
    {"gate", "--baseline", first, "--candidate", second, "--github"},
    {"show", "latest"},
};

/// What a call of the program prints, and its exit code.
struct Printed {
  int code = 0;
  std::string text;
};

/// Puts a file in the place of a standard stream while it lives.
class Instead {
 public:
  Instead(int stream, int file) : stream_(stream), kept_(::dup(stream)) { ::dup2(file, stream); }
  Instead(const Instead&) = delete;
  ~Instead() {
    ::dup2(kept_, stream_);
    ::close(kept_);
  }

 private:
  int stream_, kept_;
};

Printed call(std::vector<std::string> arguments) {
  static const int out =
      ::open((own_folder() / "printed").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  static const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  arguments.insert(arguments.begin(), "ridgeline");
  std::vector<char*> words;
  for (std::string& each : arguments) words.push_back(each.data());
  words.push_back(nullptr);
  std::fflush(stdout);
  Printed printed;
  {
    if (::ftruncate(out, 0) != 0 || ::lseek(out, 0, SEEK_SET) != 0)
      throw std::runtime_error("no file for what is printed");
    const Instead standard(STDOUT_FILENO, out), errors(STDERR_FILENO, nowhere);
    printed.code = cli::main(static_cast<int>(words.size()) - 1, words.data());
    std::fflush(stdout);
  }
  const auto size = static_cast<std::size_t>(::lseek(out, 0, SEEK_END));
  printed.text.resize(size);
  if (::pread(out, printed.text.data(), size, 0) != static_cast<ssize_t>(size))
    throw std::runtime_error("what was printed cannot be read");
  return printed;
}

void check_line(const std::string& results, const std::vector<std::string>& line) {
  std::vector<std::string> arguments = line;
  arguments.insert(arguments.end(), {"--results", results});
  const Printed printed = call(arguments);
  const std::string words = fmt::format("ridgeline {}", fmt::join(line, " "));
  static constexpr int codes[] = {0, 1, 2, 3, 64, 74};
  expect(std::ranges::find(codes, printed.code) != std::end(codes),
         fmt::format("{} ends with {}", words, printed.code));
  expect(is_utf8(printed.text), words + " prints what is not UTF-8");
  const bool json = std::ranges::find(line, "--json") != line.end();
  if (json && !printed.text.empty())
    expect(json::try_parse(printed.text).has_value(), words + " prints what is no JSON");
  const auto steers = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
  };
  const bool csv = std::ranges::find(line, "--csv") != line.end();  // has carriage returns
  if (line[0] != "export" && !csv && std::ranges::any_of(printed.text, steers))
    throw Finding(words + " prints a control character: " + printable(printed.text, 100'000));
}

/// What the report is made of, and what repeats or goes on with what is stored.
void check_documents(const fs::path& results) {
  const store::LeftOut left_out = [](const Error&) {};
  const std::initializer_list<ErrorKind> refusals{ErrorKind::usage, ErrorKind::store};
  std::vector<store::FoundRun> all;
  if (!accepts(refusals, [&] { all = store::all_runs(results, left_out); })) return;
  for (const store::FoundRun& one : all)
    accepts(refusals, [&] {
      const present::ReportRun run =
          present::read_report_run(store::Store::open(one.file), one.summary, "finished", "");
      const std::string text = present::report_document({run}, "2026-11-20T00:00:00Z", "0").dump();
      expect(json::try_parse(text).has_value(), "a report that is no JSON");
    });
  accepts(refusals, [&] {
    for (const store::FoundGate& one : store::all_gates(results, left_out))
      accepts(refusals, [&] { present::report_json(one).dump(); });
  });
  for (const store::FoundRun& one : all)
    accepts(refusals, [&] { present::find_repeated(results, one.summary.run.id); });
  gate::GateOptions options;
  options.resume = gate_id;
  accepts(refusals, [&] { gate::from_gate(results, options, left_out); });
}

void read_by_command(std::string_view input) {
  Bytes bytes(input);
  const std::size_t which = bytes.number() % (lines.size() + 2);
  const fs::path results = own_folder() / "commands";
  std::error_code ignored;
  fs::create_directory(results, ignored);
  write_bytes(results / "synthetic-gpu.sqlite", with_changed_values(bytes.rest()));
  if (which < lines.size())
    check_line(results.string(), lines[which]);
  else
    check_documents(results);
}

std::vector<std::string> command_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i <= lines.size(); ++i) seeds.emplace_back(1, static_cast<char>(i));
  const std::vector<std::string> changes = value_changes();
  for (std::size_t i = 1; i < changes.size(); i += 5)
    seeds.push_back(std::string(1, static_cast<char>(i)) + changes[i]);
  return seeds;
}

}  // namespace

Target commands() { return {read_by_command, command_seeds, 256}; }

}  // namespace ridgeline::fuzzing::targets
