#pragma once

#include <string>
#include <vector>

#include "harness/record/case.hpp"

namespace ridgeline::present {

/// Names of cases of one suite, without what they have in common.
struct ShortNames {
  std::string common;              // "gemm/*/f32/m=512,n=512,*": `*` stands for what differs
  std::vector<std::string> names;  // "naive/k=64", in the order of the cases
};

/// A case that is alone keeps all but its suite. A field that some of the cases lack differs.
ShortNames short_names(const std::vector<record::CaseId>& cases);

}  // namespace ridgeline::present
