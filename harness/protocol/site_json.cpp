#include "harness/protocol/site_json.hpp"

#include <algorithm>
#include <climits>
#include <set>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/protocol/json.hpp"

namespace ridgeline::protocol {
namespace {

constexpr std::int64_t most_counted = std::int64_t{1} << 53;  // what a double, and so any JSON parser, holds exactly

/// A text of one line, fit to be printed: names of files and kernels, kinds of accesses.
std::string read_line(Reader& reader, const char* key) {
  const std::string text = reader.text(key, max_name_bytes);
  if (std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
    refuse(fmt::format("field {} of {} must not hold control characters", key, reader.where()));
  return text;
}

std::string read_filled_line(Reader& reader, const char* key) {
  std::string text = read_line(reader, key);
  if (text.empty()) refuse(fmt::format("field {} of {} is empty", key, reader.where()));
  return text;
}

std::uint64_t read_count(Reader& reader, const char* key) {
  return static_cast<std::uint64_t>(reader.integer(key, 0, most_counted));
}

record::Site read_site(Reader reader) {
  record::Site site;
  site.kernel = read_line(reader, "kernel");
  site.file = read_line(reader, "file");
  site.line = static_cast<int>(reader.integer("line", 0, INT_MAX));
  site.access = read_filled_line(reader, "access");
  site.lane_bytes = static_cast<int>(reader.integer("lane_bytes", 0, 1 << 20));
  site.requests = read_count(reader, "requests");
  site.lanes = read_count(reader, "lanes");
  site.sectors = read_count(reader, "sectors");
  site.wavefronts = read_count(reader, "wavefronts");
  reader.done();
  return site;
}

record::Source read_source(Reader reader) {
  record::Source source{read_filled_line(reader, "file"), reader.text("text", record::max_source_bytes)};
  if (source.text.find('\0') != std::string::npos)
    refuse(fmt::format("field text of {} holds a NUL, which no source does", reader.where()));
  reader.done();
  return source;
}

}  // namespace

json::Value to_json(const std::vector<record::Site>& sites) {
  json::Value list = json::Value::array();
  for (const record::Site& site : sites)
    list.push_back({{"kernel", printable(site.kernel, max_name_bytes - 16)},
                    {"file", printable(site.file, max_name_bytes - 16)},
                    {"line", site.line},
                    {"access", site.access},
                    {"lane_bytes", site.lane_bytes},
                    {"requests", site.requests},
                    {"lanes", site.lanes},
                    {"sectors", site.sectors},
                    {"wavefronts", site.wavefronts}});
  return list;
}

json::Value to_json(const std::vector<record::Source>& sources) {
  json::Value list = json::Value::array();
  for (const record::Source& source : sources) list.push_back({{"file", source.file}, {"text", source.text}});
  return list;
}

std::vector<record::Site> read_sites(Reader& measurement) {
  std::vector<record::Site> sites;
  measurement.list("sites", record::max_sites, [&](const json::Value& site, const std::string& where) {
    sites.push_back(read_site(Reader(site, where)));
  });
  return sites;
}

std::vector<record::Source> read_sources(Reader& measurement) {
  std::vector<record::Source> sources;
  std::set<std::string> files;
  measurement.list("sources", record::max_sources, [&](const json::Value& source, const std::string& where) {
    sources.push_back(read_source(Reader(source, where)));
    if (!files.insert(sources.back().file).second)
      refuse(fmt::format("{} has the file of an earlier source: {}", where, sources.back().file));
  });
  return sources;
}

}  // namespace ridgeline::protocol
