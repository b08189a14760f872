#pragma once

#include <string>
#include <vector>

#include "harness/record/measurement.hpp"

namespace ridgeline::analysis {

struct ListingShape {
  int width = 110;  // columns of a line, at most; at least narrowest_listing
  int context = 2;  // lines of source shown before and behind each line that has accesses
};
inline constexpr int narrowest_listing = 80;

/// The sources of `sites` with what each line asks of memory, as a profiler's source view shows
/// them: lines of text without line ends, none longer than the shape's width. Files with the most
/// requests come first; of each, the regions around lines with accesses. Below such a line stands a
/// row for each access: requests, then sectors or wavefronts a request, active lanes a request, and
/// the share of its memory's traffic. Rows that cost more than their lanes' bytes need begin with
/// '!' and say how many times as much. Sites whose source is not there are rows all the same. Text
/// that cannot be printed is escaped. Empty without sites. Throws an internal Error when the shape
/// is narrower than allowed.
std::vector<std::string> annotated_listing(const std::vector<record::Site>& sites,
                                           const std::vector<record::Source>& sources,
                                           const ListingShape& shape = {});

}  // namespace ridgeline::analysis
