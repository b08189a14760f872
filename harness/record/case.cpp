#include "harness/record/case.hpp"

namespace ridgeline::record {

std::string name(const CaseId& id) {
  std::string text = id.suite + '/' + id.variant + '/' + id.dtype;
  char separator = '/';
  for (const auto* fields : {&id.problem, &id.options}) {
    for (const Field& field : *fields) {
      text += separator + field.key + '=' + field.value;
      separator = ',';
    }
  }
  return text;
}

}  // namespace ridgeline::record
