#include "harness/gate/same_code.hpp"

#include <tuple>

namespace ridgeline::gate {

bool SameCode::operator()(const run::Selected& baseline, const run::Selected& candidate) {
  const auto built = [](const run::Selected& of) {
    const record::Build& build = of.worker->hello.build;
    return std::tie(build.worker, build.compiler, build.flags, build.cuda,
                    of.worker->hello.launcher);
  };
  if (baseline.info != candidate.info || built(baseline) != built(candidate)) return false;
  const auto &before = baseline.worker->program, &after = candidate.worker->program;
  const auto read = programs_.try_emplace({before, after}, before, after).first;
  const record::Case& info = candidate.info;
  return read->second.difference(info.id.suite, info.id.variant, info.device_kind).empty();
}

}  // namespace ridgeline::gate
