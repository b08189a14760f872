#include "kernels/attention_backward/attention_backward.hpp"

#include <string>

namespace ridgeline::attention_backward {

std::string_view to_string(Mask mask) { return mask == Mask::causal ? "causal" : "full"; }

device::Support check(const Problem& problem, const std::vector<DType>& dtypes) {
  if (std::ranges::find(dtypes, problem.dtype) == dtypes.end())
    return device::Support::unsupported("this variant computes no " +
                                        std::string(ridgeline::to_string(problem.dtype)));
  if (problem.dim != 64 && problem.dim != 128)
    return device::Support::unsupported("heads of " + std::to_string(problem.dim) +
                                        " are not built, only of 64 and 128");
  if (problem.kv_heads != 0 && problem.heads % problem.kv_heads != 0)
    return device::Support::unsupported("the heads of K and V do not divide those of Q");
  return device::Support::yes();
}

}  // namespace ridgeline::attention_backward
