#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/emulated/alignment.hpp"

namespace ridgeline::emulated {

/// A struct, class, union or array that is copied as a whole, and is not one of CUDA's vector
/// types: room between its members, and members that nobody needs, may never have been written.
struct CopiedObject {
  std::uint64_t begin = 0, bytes = 0;  // 0: none
};

/// Of which lane number `i` of the request reads a part. Looks at a table that compile_kernels has
/// left in the program.
CopiedObject copied_object(const Request& request, std::size_t i);

/// Of a note, where `what` was never written and other bytes of the object were.
std::string in_copied(const CopiedObject& object, std::string what);

}  // namespace ridgeline::emulated
