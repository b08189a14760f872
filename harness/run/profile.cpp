#include "harness/run/profile.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/run/duration.hpp"

namespace ridgeline::run {
namespace {

constexpr std::size_t max_profile_bytes = 1u << 20;

/// One table of a profile: every key that is read is known, every other key is an error.
class Section {
 public:
  Section(const toml::table& table, const std::filesystem::path& file, std::string name)
      : table_(table), file_(file), name_(std::move(name)) {}

  [[noreturn]] void refuse(const toml::source_region& at, const std::string& failure,
                           const std::string& advice = {}) const {
    throw Error(ErrorKind::usage, fmt::format("{}:{}: {}", file_.string(), at.begin.line, failure), advice);
  }

  const toml::node* find(const std::string& key) {
    known_.insert(key);
    return table_.get(key);
  }

  const toml::node& need(const std::string& key) {
    const toml::node* node = find(key);
    if (!node) refuse(table_.source(), fmt::format("{} is missing{}", key, name_.empty() ? "" : " in [" + name_ + "]"));
    return *node;
  }

  std::string text(const std::string& key) {
    const auto value = need(key).value_exact<std::string>();
    if (!value) refuse(need(key).source(), key + " must be a text");
    return *value;
  }

  int count(const std::string& key, int least, int most) {
    const auto value = need(key).value_exact<std::int64_t>();
    if (!value || *value < least || *value > most)
      refuse(need(key).source(), fmt::format("{} must be a whole number from {} to {}", key, least, most));
    return static_cast<int>(*value);
  }

  double fraction(const std::string& key) {
    const auto value = need(key).value_exact<double>();
    if (!value || !(*value > 0 && *value < 1))
      refuse(need(key).source(), key + " must be a fraction between 0 and 1, such as 0.01");
    return *value;
  }

  double duration(const std::string& key) {
    const auto value = need(key).value_exact<std::string>();
    const auto seconds = value ? parse_duration(*value) : std::nullopt;
    if (!seconds) refuse(need(key).source(), key + " must be a duration above 0, such as \"90s\", \"200ms\" or \"2m\"");
    return *seconds;
  }

  std::vector<Pattern> patterns(const std::string& key) {
    const toml::array* list = need(key).as_array();
    if (!list || list->empty()) refuse(need(key).source(), key + " must be a list of case patterns");
    std::vector<Pattern> patterns;
    for (const toml::node& each : *list) {
      const auto text = each.value_exact<std::string>();
      const bool takes_away = text && text->starts_with('!');
      if (!text || text->size() == (takes_away ? 1u : 0u))
        refuse(each.source(), "a case pattern must be a text that is not empty");
      patterns.push_back({text->substr(takes_away ? 1 : 0), static_cast<int>(each.source().begin.line), takes_away});
    }
    return patterns;
  }

  /// Calls `read` with the section called `key` when the profile has it.
  bool section(const std::string& key, const std::function<void(Section&)>& read) {
    const toml::node* node = find(key);
    if (!node) return false;
    if (!node->is_table()) refuse(node->source(), fmt::format("{} must be a section: [{}]", key, key));
    Section inner(*node->as_table(), file_, key);
    read(inner);
    inner.done();
    return true;
  }

  void done() const {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (known_.contains(name)) continue;
      const std::string near = nearest(name, {known_.begin(), known_.end()});
      refuse(key.source(),
             fmt::format("unknown key \"{}\"{}", printable(name, 60), name_.empty() ? "" : " in [" + name_ + "]"),
             near.empty() ? "known keys: " + fmt::format("{}", fmt::join(known_, ", "))
                          : fmt::format("did you mean {}?", near));
    }
  }

 private:
  const toml::table& table_;
  const std::filesystem::path& file_;
  std::string name_;
  std::set<std::string> known_;
};

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  if (!stream || text.size() > max_profile_bytes)
    throw Error(ErrorKind::usage, fmt::format("cannot read the profile {}", file.string()));
  return text;
}

}  // namespace

Profile parse_profile(std::string_view text, const std::filesystem::path& file) {
  toml::table table;
  try {
    table = toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::usage,
                fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description()));
  }
  Section top(table, file, "");
  Profile profile;
  profile.name = file.stem().string();
  profile.file = file;
  profile.text = text;
  profile.description = top.text("description");
  profile.processes = top.count("processes", 1, 1000);
  profile.budget_s = top.duration("budget");
  profile.case_timeout_s = top.duration("case_timeout");
  top.section("sampling", [&](Section& sampling) {
    Sampling& options = profile.sampling;
    options.target = sampling.fraction("target");
    options.unstable = sampling.fraction("unstable");
    options.min_samples = sampling.count("min_samples", 1, 1'000'000);
    options.max_samples = sampling.count("max_samples", 1, 1'000'000);
    options.warmup_s = sampling.duration("warmup");
    if (sampling.find("sample_floor")) options.sample_floor_s = sampling.duration("sample_floor");
    if (options.max_samples < options.min_samples)
      sampling.refuse(sampling.need("max_samples").source(), "max_samples is below min_samples");
    if (options.unstable < options.target)
      sampling.refuse(sampling.need("unstable").source(),
                      "unstable is below target: what stops sampling cannot be unstable");
  });
  for (const char* kind : {"cpu", "cuda", "fake"})
    top.section(kind, [&](Section& section) { profile.cases[kind] = section.patterns("cases"); });
  top.done();
  return profile;
}

std::vector<std::string> profile_names(const std::filesystem::path& home) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(home / "suites" / "profiles", unreadable))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Profile load_profile(const std::string& name, const std::filesystem::path& home) {
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) return parse_profile(read_file(name), name);
  const std::vector<std::string> names = profile_names(home);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::string near = nearest(name, names);
    throw Error(ErrorKind::usage, fmt::format("there is no profile \"{}\"", printable(name)),
                near.empty()
                    ? fmt::format("there are {}; a file is named with its ending .toml", fmt::join(names, ", "))
                    : fmt::format("did you mean {}?", near));
  }
  const std::filesystem::path file = home / "suites" / "profiles" / (name + ".toml");
  return parse_profile(read_file(file), file);
}

}  // namespace ridgeline::run
