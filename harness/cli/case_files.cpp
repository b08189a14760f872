#include "harness/cli/case_files.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::cli {
namespace {

std::string worker_name(const std::string& file) {
  return std::filesystem::path(file).filename().string();
}

std::set<std::string> variants_of(const std::vector<run::Worker>& workers) {
  std::set<std::string> variants;
  for (const run::Worker& worker : workers)
    for (const record::Case& info : worker.cases)
      variants.insert(info.id.suite + '/' + info.id.variant);
  return variants;
}

}  // namespace

Words::Words(const std::vector<std::string>& given) {
  for (const std::string& word : given) {
    if (!word.ends_with(".py")) {
      patterns.push_back(word);
      continue;
    }
    std::error_code unreadable;
    if (!std::filesystem::is_regular_file(word, unreadable))
      throw Error(ErrorKind::usage,
                  std::filesystem::is_directory(word, unreadable)
                      ? fmt::format("{} is a folder", printable(word))
                      : fmt::format("there is no file {}", printable(word)),
                  "name a Python file of cases, or a pattern of their names");
    files.push_back(word);
  }
}

std::vector<std::string> with_files(const std::vector<std::string>& named, const Words& words) {
  std::vector<std::string> all = named;
  all.insert(all.end(), words.files.begin(), words.files.end());
  return all;
}

std::vector<run::Worker> of_files(const std::vector<run::Worker>& workers, const Words& words) {
  std::vector<run::Worker> found;
  for (const run::Worker& worker : workers)
    if (std::ranges::any_of(
            words.files, [&](const std::string& file) { return worker_name(file) == worker.name; }))
      found.push_back(worker);
  return found;
}

std::vector<std::string> cases_of(const std::vector<run::Worker>& workers, const Words& words,
                                  std::string_view kind) {
  std::vector<std::string> names = words.patterns;
  for (const run::Worker& worker : of_files(workers, words)) {
    const std::size_t before = names.size();
    for (const record::Case& info : worker.cases)
      if (kind.empty() || to_string(info.device_kind) == kind)
        names.push_back(record::name(info.id));
    if (names.size() == before)
      throw Error(ErrorKind::usage,
                  fmt::format("{} has no case for {}", worker.name, printable(kind)),
                  "choose another device with --device");
  }
  return names;
}

std::vector<std::string> stored_patterns(const std::vector<std::string>& given) {
  const Words words(given);
  std::vector<std::string> patterns = words.patterns;
  if (words.files.empty()) return patterns;
  for (const std::string& variant : variants_of(run::ask_only(words.files, run::Ask::cases)))
    patterns.push_back(variant);
  return patterns;
}

std::vector<std::string> recorded(const std::vector<std::string>& arguments,
                                  const std::vector<run::Worker>& workers, const Words& words) {
  if (words.files.empty()) return arguments;
  std::vector<std::string> line;
  for (const std::string& word : arguments) {
    const bool named = !line.empty() && line.back() == "--worker";
    if (!named && std::ranges::find(words.files, word) != words.files.end())
      line.emplace_back("--worker");
    line.push_back(word);
  }
  for (const std::string& variant : variants_of(of_files(workers, words))) line.push_back(variant);
  return line;
}

}  // namespace ridgeline::cli
