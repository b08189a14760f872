#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include <toml++/toml.h>

namespace ridgeline::run {

/// The text of a TOML file; `what` says for people what it is ("profile"). Throws a usage Error
/// when it cannot be read or is too large to be one that a person wrote.
std::string read_toml_file(const std::filesystem::path& file, const std::string& what);

/// Throws a usage Error with file and line for what is no TOML.
toml::table parse_toml(std::string_view text, const std::filesystem::path& file);

/// One table of a TOML file: every key that is read is known, every other key is an error. All
/// errors are usage Errors with file and line. The table and the file's name outlive it.
class StrictTable {
 public:
  /// `name` says in errors which table it is ("[sampling]"); empty for the whole file.
  StrictTable(const toml::table& table, const std::filesystem::path& file, std::string name);

  [[noreturn]] void refuse(const toml::source_region& at, const std::string& failure,
                           const std::string& advice = {}) const;

  /// The value of a key that may be left out; null without it.
  const toml::node* find(const std::string& key);
  /// The value of a key that must be there.
  const toml::node& need(const std::string& key);

  std::string text(const std::string& key);
  int count(const std::string& key, int least, int most);
  /// Between 0 and 1: 0.03 or "3%". `what` it must be, as an error says.
  double fraction(const std::string& key, const char* what = "a fraction between 0 and 1");
  double share(const std::string& key);      // the same, or 0
  double duration(const std::string& key);   // seconds
  std::string date(const std::string& key);  // "2026-12-31"

  /// Calls `read` with the section called `key` when the table has it.
  bool section(const std::string& key, const std::function<void(StrictTable&)>& read);
  /// Calls `read` for each [[key]] in order, with the line on which it begins.
  void sections(const std::string& key, const std::function<void(StrictTable&, int line)>& read);

  /// Calls `read` with the table called `key` for each of its keys, in alphabetical order.
  void entries(const std::string& key,
               const std::function<void(StrictTable&, const std::string& name)>& read);

  /// Throws when the table has a key that nobody read.
  void done() const;

  const toml::source_region& source() const { return table_.source(); }

 private:
  const toml::table& table_;
  const std::filesystem::path& file_;
  std::string name_;
  std::set<std::string> known_;
};

}  // namespace ridgeline::run
