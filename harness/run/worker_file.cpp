#include "harness/run/worker_file.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/process/home.hpp"

namespace ridgeline::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view adapter = "ridgeline-adapter";
constexpr std::string_view adapted[] = {"google-benchmark", "nvbench"};
constexpr std::string_view border = " -- ";  // between a program and its own arguments

fs::path find_file(const std::string& program) {
  fs::path file = program;
  if (program.find('/') == std::string::npos && !fs::exists(file))
    file = process::find_program(program);
  std::error_code failure;
  const fs::path whole = fs::canonical(file, failure);
  if (file.empty() || failure || !fs::is_regular_file(whole))
    throw Error(ErrorKind::dependency, fmt::format("worker {} not found", printable(program)));
  return whole;
}

/// Of "nvbench:PROGRAM", "nvbench:"; empty where the program speaks for itself.
std::string kind_of(const std::string& text) {
  for (const std::string_view kind : adapted)
    if (text.starts_with(fmt::format("{}:", kind))) return fmt::format("{}:", kind);
  return {};
}

/// Of "PROGRAM -- ARGUMENTS": cuts the arguments off, at spaces.
std::vector<std::string> take_arguments(std::string& text) {
  const std::size_t at = text.find(border);
  if (at == std::string::npos) return {};
  std::istringstream words(text.substr(at + border.size()));
  text.resize(at);
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  return arguments;
}

}  // namespace

WorkerFile find_worker(const std::string& text) {
  std::string kind = kind_of(text);
  if (kind.empty()) return {find_file(text), {}};
  std::string program = text.substr(kind.size());
  const std::vector<std::string> own = take_arguments(program);
  const fs::path file = find_file(program), speaker = process::find_program(std::string(adapter));
  if (speaker.empty())
    throw Error(
        ErrorKind::dependency, fmt::format("{} not found beside ridgeline or on the PATH", adapter),
        "build it (the preset release does); it speaks for programs that know no worker protocol");
  kind.pop_back();
  std::vector<std::string> arguments{kind, file.string()};
  arguments.insert(arguments.end(), own.begin(), own.end());
  return {file, {speaker, std::move(arguments)}};
}

std::string absolute_worker(const std::string& text) {
  const std::string kind = kind_of(text);
  const std::size_t end =
      kind.empty() ? std::string::npos : std::min(text.find(border), text.size());
  const std::string program = text.substr(kind.size(), end - kind.size());
  if (program.find('/') == std::string::npos && !fs::exists(program)) return text;
  return kind + fs::absolute(program).string() + (kind.empty() ? "" : text.substr(end));
}

}  // namespace ridgeline::run
