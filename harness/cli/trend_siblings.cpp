#include "harness/base/error.hpp"
#include "harness/cli/trend.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/sibling_times.hpp"

namespace ridgeline::cli {
namespace {

constexpr std::size_t most_times = 90;

struct SiblingOptions {};

int siblings(const Context& context, const SiblingOptions&) {
  const store::LeftOut left_out = present::say_left_out_once();
  const auto hosts =
      present::find_sibling_times(store::all_runs(context.results, left_out), most_times, left_out);
  if (hosts.empty())
    throw Error(ErrorKind::usage, "no stored runs have measured several GPUs of a host together",
                "ridgeline run --device all measures them");
  if (context.json)
    present::print_json(
        {{"hosts", json::list(hosts, [](const auto& host) { return present::to_json(host); })}});
  else
    present::say(stdout, present::sibling_times_text(hosts, present::look_of(stdout).width));
  return present::fine;
}

}  // namespace

void add_siblings_command(Command trend, Context& context) {
  const auto [command, options] = add_command(
      trend, context, "siblings",
      "How alike the GPUs of a host were, each time that all were measured together", R"(
  ridgeline run --device all --profile nightly               measures all GPUs at the same time
  ridgeline trend siblings                                   one line per GPU, of each host)",
      siblings);
  for (const auto add : {add_results_option, add_json_option}) add(command, context);
}

}  // namespace ridgeline::cli
