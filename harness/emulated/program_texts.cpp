#include "harness/emulated/program_texts.hpp"

// Made by the linker of sections, where there are such.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char __start_ridgeline_local_indices[] __attribute__((weak)),
    __stop_ridgeline_local_indices[] __attribute__((weak)),
    __start_ridgeline_unset_variables[] __attribute__((weak)),
    __stop_ridgeline_unset_variables[] __attribute__((weak));
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace ridgeline::emulated {

static std::vector<std::string_view> texts(const char* at, const char* end) {
  std::vector<std::string_view> all;
  while (at < end) {
    all.emplace_back(at);
    at += all.back().size() + 1;
  }
  return all;
}

std::vector<std::string_view> local_index_texts() {
  return texts(__start_ridgeline_local_indices, __stop_ridgeline_local_indices);
}
std::vector<std::string_view> unset_variable_texts() {
  return texts(__start_ridgeline_unset_variables, __stop_ridgeline_unset_variables);
}

}  // namespace ridgeline::emulated
