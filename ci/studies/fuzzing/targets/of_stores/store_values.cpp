#include "ci/studies/fuzzing/targets/changed_store.hpp"

/// A results file in which values were changed, as a stranger could with any SQLite shell. The
/// first byte says whether it is read or merged.
namespace ridgeline::fuzzing::targets {

static void read_values(std::string_view input) {
  const auto file = own_folder() / "values.sqlite";
  Bytes bytes(input);
  const bool merges = bytes.number() % 4 == 3;
  write_bytes(file, with_changed_values(bytes.rest()));
  merges ? merge_everything(file) : read_everything(file);
}

static std::vector<std::string> value_seeds() {
  std::vector<std::string> seeds;
  for (const std::string& change : value_changes())
    seeds.push_back(std::string(1, static_cast<char>(seeds.size())) + change);
  return seeds;
}

Target store_values() { return {read_values, value_seeds, 256}; }

}  // namespace ridgeline::fuzzing::targets
