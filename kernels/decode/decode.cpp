#include "kernels/decode/decode.hpp"

#include <algorithm>
#include <string>

namespace ridgeline::decode {

device::Support check(const Problem& problem, const std::vector<DType>& dtypes) {
  if (std::ranges::find(dtypes, problem.dtype) == dtypes.end())
    return device::Support::unsupported("this variant computes no " +
                                        std::string(to_string(problem.dtype)));
  if (problem.dim != 64 && problem.dim != 128)
    return device::Support::unsupported("heads of " + std::to_string(problem.dim) +
                                        " are not built, only of 64 and 128");
  if (problem.keys < 1)
    return device::Support::unsupported("there is no average over a cache without keys");
  if (problem.heads != 0 && (problem.kv_heads == 0 || problem.heads % problem.kv_heads != 0))
    return device::Support::unsupported("the heads of K and V do not divide those of Q");
  return device::Support::yes();
}

std::int64_t parts_of(std::int64_t heads, std::int64_t tiles, std::int64_t blocks) {
  return std::clamp<std::int64_t>(blocks / std::max<std::int64_t>(heads, 1), 1, tiles);
}

}  // namespace ridgeline::decode
