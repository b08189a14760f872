#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/record/run.hpp"

namespace ridgeline::catalogue {

/// What a link between host and device carries in one direction: `link` names its generation of PCI
/// Express and its lanes ("5 x16"). The kind is "link", the value in B/s is that of the lanes after
/// their line code, before the headers of packets, which take some percent more. Absent for a text
/// that names no such link.
/// Source: PCI Express Base Specification, revisions 1.0 to 6.0 (2.5 to 64 GT/s per lane; of 10
/// bits 8 are data in the first two, of 130 bits 128 in the next three, of 256 bytes 242 in the
/// sixth).
std::optional<record::Roof> link_roof(std::string_view link);

/// What the links between a GPU and the others of its host carry: link.to_peer and link.from_peer,
/// of one direction, and link.both_ways, of both together. By its facts: `nvlink` ("18 x 26562
/// MB/s", what the lanes carry, of which packets take some percent), or without any NVLink `pcie`,
/// as above. Empty where `direct_peers` names no GPU that it reaches directly, and where nothing
/// names a link. A GPU may have fewer of its NVLinks to one other: these are all.
std::vector<record::Roof> peer_roofs(const record::Facts& facts);

}  // namespace ridgeline::catalogue
