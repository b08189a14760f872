#include "harness/store/schema.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::store {
namespace {

/// What a table, index or trigger is of and was made with, by kind and name: "table run".
using Objects = std::map<std::string, std::pair<std::string, std::string>>;

/// How many bytes of `sql`, from its beginning, are white space or one comment.
std::size_t blank_length(std::string_view sql) {
  if (sql.starts_with("--")) return std::min(sql.find('\n'), sql.size());
  if (sql.starts_with("/*")) {
    const std::size_t end = sql.find("*/", 2);
    return end == std::string_view::npos ? sql.size() : end + 2;
  }
  return std::min(sql.find_first_not_of(" \t\n\r\f"), sql.size());
}

/// `sql` with one space for each stretch of white space and comments that is not in quotes.
std::string without_blanks(std::string_view sql) {
  std::string text;
  char quote = '\0';  // that ends the name or text we are in
  for (std::size_t at = 0; at < sql.size();) {
    const std::size_t blank = quote == '\0' ? blank_length(sql.substr(at)) : 0;
    if (blank > 0) {
      if (!text.ends_with(' ')) text += ' ';
      at += blank;
      continue;
    }
    const char c = sql[at++];
    text += c;
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"' || c == '`') {
      quote = c;
    } else if (c == '[') {
      quote = ']';
    }
  }
  return text;
}

Objects objects_of(SQLite::Database& database) {
  Objects objects;
  SQLite::Statement rows(
      database,
      "SELECT type || ' ' || name, ifnull(tbl_name, ''), ifnull(sql, '') FROM sqlite_schema");
  while (rows.executeStep())
    objects.emplace(
        rows.getColumn(0).getString(),
        std::pair(rows.getColumn(1).getString(), without_blanks(rows.getColumn(2).getString())));
  return objects;
}

std::string sql_of(std::span<const Migration> steps) {
  std::string sql;
  for (const Migration& step : steps) sql += step.sql;
  return sql;
}

/// Kept, since a command opens a file many times.
const Objects& objects_made_by(std::span<const Migration> steps) {
  static std::mutex one_at_a_time;
  static std::map<std::string, Objects> known;  // by all their SQL
  const std::string sql = sql_of(steps);
  const std::scoped_lock lock(one_at_a_time);
  const auto found = known.find(sql);
  if (found != known.end()) return found->second;
  SQLite::Database made(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  if (sql == sql_of(migrations()))
    made.exec(newest_schema());
  else
    made.exec(sql);
  return known.emplace(sql, objects_of(made)).first->second;
}

[[noreturn]] void refuse_schema(const std::filesystem::path& file, const std::string& object,
                                const char* what) {
  throw Error(ErrorKind::store,
              fmt::format("{} does not have the schema of its number: its {} {}", file.string(),
                          printable(object), what),
              "the file is damaged or was changed by another program; restore it from a backup");
}

}  // namespace

void check_schema(SQLite::Database& database, const std::filesystem::path& file,
                  std::span<const Migration> steps) {
  const Objects& expected = objects_made_by(steps);
  const Objects found = objects_of(database);
  for (const auto& [object, sql] : found)
    if (const auto same = expected.find(object); same == expected.end())
      refuse_schema(file, object, "is not of ridgeline");
    else if (same->second != sql)
      refuse_schema(file, object, "is not as ridgeline made it");
  for (const auto& [object, sql] : expected)
    if (!found.contains(object)) refuse_schema(file, object, "is missing");
}

}  // namespace ridgeline::store
