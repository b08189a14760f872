#include <cstdlib>

#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>

#include "harness/base/error.hpp"
#include "harness/protocol/messages.hpp"
#include "harness/worker/arguments.hpp"
#include "harness/worker/google_benchmark.hpp"
#include "harness/worker/once.hpp"
#include "harness/worker/program.hpp"
#include "harness/worker/serve.hpp"

namespace ridgeline::worker {
namespace {

constexpr const char* help = R"(usage: {0} [--device ID] [--benchmark_FLAG=VALUE ...]
       {0} --once CASE [--device ID]
       {0} --worker [--connect HOST:PORT]

Measures kernels one by one. Every output is verified before and after timing; without a right
result there is no time. `ridgeline run` starts this program, keeps what it measures and draws the
report; by hand it is a Google Benchmark program.

  {0} --benchmark_list_tests                     the cases for the best device
  {0} --device cpu --benchmark_filter='^gemm/'   measure a part of them
  {0} --benchmark_format=json                    any flag of Google Benchmark's; the harness
                                                             decides on times and iterations
  {0} --once gemm/naive/f32/m=128,n=128,k=128    one verified launch, for a debugger or a profiler,
  ncu --nvtx {0} --once CASE                     which sees an NVTX range named after the case

  --device ID          cpu, cuda:0, ... (default: the best there is)
  --once CASE          launch once, verify, print one line; on a GPU also once before
                       the range, when libraries choose their algorithms
  --worker             answer requests of the worker protocol (docs/worker-protocol.md)
  --connect HOST:PORT  with --worker: connect there instead, and show the token in ${1}
  --help               this page

Exit codes: 0 fine, 2 wrong result or failed device, 64 usage, 69 no such device, 70 internal.
)";

/// Requests that rank 0 receives, told to every rank; rank 0 alone answers.
class SharedTransport final : public Transport {
 public:
  SharedTransport(measure::Group& group, std::unique_ptr<Transport> outside)
      : group_(group), outside_(std::move(outside)) {}

  std::optional<std::string> receive() override {
    std::optional<std::string> line;
    if (outside_) line = outside_->receive();
    std::int64_t size = line ? static_cast<std::int64_t>(line->size()) : -1;
    group_.broadcast(&size, sizeof size);
    if (size < 0) return std::nullopt;
    if (!line) line.emplace(static_cast<std::size_t>(size), '\0');
    group_.broadcast(line->data(), line->size());
    return line;
  }

  void send(std::string_view line) override {
    if (outside_) outside_->send(line);
  }

 private:
  measure::Group& group_;
  std::unique_ptr<Transport> outside_;  // null on every rank but 0
};

int work(const Program& program, const std::string& address) {
  die_with_parent();
  if (program.group == nullptr) {
    serve(program, *program.connect(address));
  } else {
    SharedTransport shared(*program.group,
                           program.group->rank() == 0 ? program.connect(address) : nullptr);
    serve(program, shared);
  }
  return 0;
}

int run(int argc, char** argv, const Program& program) {
  const Arguments arguments = parse_arguments(argc, argv);
  if (arguments.help) {
    fmt::print(fmt::runtime(help), program.name, protocol::token_variable);
    return 0;
  }
  if (arguments.worker) return work(program, arguments.connect);
  const std::string device = arguments.device.empty() ? best_device(program) : arguments.device;
  if (!arguments.once.empty()) return once(program, arguments.once, device);
  return run_benchmarks(program, device, arguments.rest);
}

}  // namespace

int main(int argc, char** argv, const Program& program) {
  try {
    return run(argc, argv, program);
  } catch (const Error& error) {
    fmt::print(stderr, "{}: {}\n", program.name, error.what());
    if (!error.advice().empty()) fmt::print(stderr, "  {}\n", error.advice());
    return error.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program.name, error.what());
    return static_cast<int>(ErrorKind::internal);
  }
}

}  // namespace ridgeline::worker
