#include "harness/worker/build_facts.hpp"

#include "harness/base/build_stamp.hpp"
#include "harness/worker/code_hash.hpp"

namespace ridgeline::worker {

record::Build build_facts(std::string_view worker) {
  record::Build build;
  build.worker = worker;
  build.commit = build_stamp.commit;
  build.dirty = build_stamp.dirty != '0';
  build.compiler = build_stamp.compiler;
  build.flags = build_stamp.flags;
  build.cuda = build_stamp.cuda;
  build.code_hash = code_hash("/proc/self/exe");
  return build;
}

}  // namespace ridgeline::worker
