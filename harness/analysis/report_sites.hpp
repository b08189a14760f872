#pragma once

#include <cstddef>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/base/json.hpp"

namespace ridgeline::analysis {

/// What a report shows of one case's sites, at most; and the longest source, in bytes.
inline constexpr std::size_t most_reported_sites = 200, longest_reported_source = 256 << 10;

/// The sources of a run, each once; cases name them by their place.
class SourceTable {
 public:
  /// The place of `source`, which it takes up unless it has the same file with the same text.
  std::size_t place(const record::Source& source);
  /// A source that is too long has its size in bytes in place of its text.
  json::Value to_json() const;

 private:
  std::vector<record::Source> sources_;
};

/// Puts `counted`'s sites into a case of the report document: keys "sites", "sites_left_out",
/// "sources" and "processes_differ" of docs/report-format.md. Where there are more sites than a
/// report shows, those that move least are left out, and summed up.
void put_sites(json::Value& object, const CountedCase& counted, SourceTable& sources);

}  // namespace ridgeline::analysis
