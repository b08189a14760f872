#include "harness/record/case.hpp"

#include <algorithm>

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

std::string option(const CaseId& id, std::string_view key, std::string_view otherwise) {
  for (const Field& field : id.options)
    if (field.key == key) return field.value;
  return std::string(otherwise);
}

bool has_peer(const CaseId& id) {
  return std::ranges::find(id.problem, "peer", &Field::key) != id.problem.end();
}

std::string launch_of(const CaseId& id) {
  const bool isolated =
      std::ranges::find(id.problem, Field{"mode", "isolated"}) != id.problem.end();
  return option(id, "launch", isolated ? "single" : "graph");
}

}  // namespace ridgeline::record
