#include "harness/run/strict_toml.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/run/typed_numbers.hpp"

namespace ridgeline::run {

std::string read_toml_file(const std::filesystem::path& file, const std::string& what) {
  constexpr std::size_t max_file_bytes = 1u << 20;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("cannot read the {} {}: {}", what,
                                              printable(file.string(), 4000), why));
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (error) refuse(error.message());
  if (!is_regular_file(status)) refuse("it is not a text file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(std::generic_category().message(errno));
  std::string text(max_file_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) refuse("reading failed");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > max_file_bytes) refuse("it is larger than 1 MiB");
  return text;
}

toml::table parse_toml(std::string_view text, const std::filesystem::path& file) {
  try {
    return toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::usage, fmt::format("{}:{}: {}", file.string(), error.source().begin.line,
                                              printable(error.description(), 1000)));
  }
}

StrictTable::StrictTable(const toml::table& table, const std::filesystem::path& file,
                         std::string name)
    : table_(table), file_(file), name_(std::move(name)) {}

void StrictTable::refuse(const toml::source_region& at, const std::string& failure,
                         const std::string& advice) const {
  throw Error(ErrorKind::usage, fmt::format("{}:{}: {}", file_.string(), at.begin.line, failure),
              advice);
}

const toml::node* StrictTable::find(const std::string& key) {
  known_.insert(key);
  return table_.get(key);
}

const toml::node& StrictTable::need(const std::string& key) {
  const toml::node* node = find(key);
  if (!node)
    refuse(source(), fmt::format("{} is missing{}", key, name_.empty() ? "" : " in " + name_));
  return *node;
}

std::string StrictTable::text(const std::string& key) {
  const auto value = need(key).value_exact<std::string>();
  if (!value) refuse(need(key).source(), key + " must be a text");
  return *value;
}

int StrictTable::count(const std::string& key, int least, int most) {
  const auto value = need(key).value_exact<std::int64_t>();
  if (!value || *value < least || *value > most)
    refuse(need(key).source(),
           fmt::format("{} must be a whole number from {} to {}", key, least, most));
  return static_cast<int>(*value);
}

double StrictTable::fraction(const std::string& key, const char* what) {
  const toml::node& node = need(key);
  std::optional<double> value = node.value_exact<double>();
  if (const auto text = node.value_exact<std::string>()) value = parse_fraction(*text);
  if (!value || !(*value > 0 && *value < 1))
    refuse(node.source(), fmt::format("{} must be {}, such as 0.01 or \"1%\"", key, what));
  return *value;
}

double StrictTable::share(const std::string& key) {
  const toml::node& node = need(key);
  if (node.value_exact<std::int64_t>() == 0 || node.value_exact<double>() == 0 ||
      node.value_exact<std::string>() == "0%")
    return 0;
  return fraction(key, "0 or a fraction below 1");
}

double StrictTable::duration(const std::string& key) {
  const auto value = need(key).value_exact<std::string>();
  const auto seconds = value ? parse_duration(*value) : std::nullopt;
  if (!seconds)
    refuse(
        need(key).source(),
        key +
            " must be a duration above 0 and up to 30 days, such as \"90s\", \"200ms\" or \"1us\"");
  return *seconds;
}

std::string StrictTable::date(const std::string& key) {
  const auto value = need(key).value_exact<toml::date>();
  if (!value)
    refuse(need(key).source(), key + " must be a date without quotes, such as 2026-12-31");
  return fmt::format("{:04}-{:02}-{:02}", value->year, value->month, value->day);
}

bool StrictTable::section(const std::string& key, const std::function<void(StrictTable&)>& read) {
  const toml::node* node = find(key);
  if (!node) return false;
  if (!node->is_table())
    refuse(node->source(), fmt::format("{} must be a section: [{}]", key, key));
  StrictTable inner(*node->as_table(), file_, "[" + key + "]");
  read(inner);
  inner.done();
  return true;
}

void StrictTable::sections(const std::string& key,
                           const std::function<void(StrictTable&, int)>& read) {
  const toml::node* node = find(key);
  if (!node) return;
  const toml::array* list = node->as_array();
  if (!list)
    refuse(node->source(),
           fmt::format("write [[{}]] with two brackets: there can be several", key));
  for (const toml::node& each : *list) {
    if (!each.is_table())
      refuse(each.source(), fmt::format("{} must be sections: [[{}]]", key, key));
    StrictTable inner(*each.as_table(), file_, "[[" + key + "]]");
    read(inner, static_cast<int>(each.source().begin.line));
    inner.done();
  }
}

void StrictTable::entries(const std::string& key,
                          const std::function<void(StrictTable&, const std::string&)>& read) {
  const toml::node& node = need(key);
  if (!node.is_table()) refuse(node.source(), key + " must be a table: { NAME = VALUE }");
  StrictTable inner(*node.as_table(), file_, key);
  for (const auto& [name, value] : *node.as_table()) read(inner, std::string(name.str()));
  inner.done();
}

void StrictTable::done() const {
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (known_.contains(name)) continue;
    const std::string near = nearest(name, {known_.begin(), known_.end()});
    refuse(key.source(),
           fmt::format("unknown key \"{}\"{}", printable(name, 60),
                       name_.empty() ? "" : " in " + name_),
           near.empty() ? fmt::format("known keys: {}", fmt::join(known_, ", "))
                        : fmt::format("did you mean {}?", near));
  }
}

}  // namespace ridgeline::run
