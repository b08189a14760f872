#pragma once

#include <optional>
#include <string_view>

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

}  // namespace ridgeline::catalogue
