#include "kernels/attention/attention.hpp"

#include <algorithm>

namespace ridgeline::attention {

std::string_view to_string(Mask mask) { return mask == Mask::causal ? "causal" : "full"; }

device::Support check(const Problem& problem, const std::vector<DType>& dtypes,
                      bool groups_queries) {
  if (std::ranges::find(dtypes, problem.dtype) == dtypes.end())
    return device::Support::unsupported("this variant computes no " +
                                        std::string(ridgeline::to_string(problem.dtype)));
  if (problem.dim != 64 && problem.dim != 128)
    return device::Support::unsupported("heads of " + std::to_string(problem.dim) +
                                        " are not built, only of 64 and 128");
  if (problem.kv_heads != 0 && problem.kv_heads != problem.heads && !groups_queries)
    return device::Support::unsupported("this variant needs as many heads of K and V as of Q");
  if (problem.kv_heads != 0 && problem.heads % problem.kv_heads != 0)
    return device::Support::unsupported("the heads of K and V do not divide those of Q");
  return device::Support::yes();
}

}  // namespace ridgeline::attention
