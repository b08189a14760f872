#pragma once

#include <istream>
#include <ostream>
#include <vector>

#include "harness/emulated/compiler/dumped_functions.hpp"

namespace ridgeline::emulated {

/// Passes a compiled file on, with a table of the reads that copy a whole struct, class, union or
/// array, for harness/emulated/aggregate_copies.hpp to find in its program: what returns from the
/// call that tells of the read, and the object's bytes. CUDA's vector types, and numbers of 16 bits
/// and less with their pairs, are values and no such objects. `assembly` is read twice.
void mark_aggregate_copies(std::istream& assembly, std::ostream& marked,
                           const std::vector<DumpedFunction>& functions);

}  // namespace ridgeline::emulated
