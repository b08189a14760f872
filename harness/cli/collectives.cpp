#include "harness/present/collectives.hpp"

#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/collective_beside.hpp"
#include "harness/present/collective_choices.hpp"
#include "harness/present/collective_layers.hpp"
#include "harness/present/collective_rows.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/peer_pairs.hpp"

namespace ridgeline::cli {
namespace {

/// A number above 0, and one of these units or none.
std::optional<double> parse_amount(std::string_view text, bool per_second) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || !(number > 0)) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (per_second && unit.ends_with("/s")) unit.remove_suffix(2);
  constexpr std::pair<std::string_view, double> units[] = {
      {"", 1},      {"B", 1},        {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
      {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  for (const auto& [name, size] : units)
    if (unit == name && number * size < 1e18) return number * size;
  return std::nullopt;
}

double amount(const char* option, const std::string& text, bool per_second, const char* example) {
  if (const auto found = parse_amount(text, per_second)) return *found;
  throw Error(ErrorKind::usage,
              fmt::format("{} {} is not an amount that can be used", option, printable(text)),
              fmt::format("write it as {}", example));
}

DType element_type(const std::string& text) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::i8})
    if (to_string(dtype) == text) return dtype;
  return DType::f32;
}

struct PatternOptions {
  std::vector<std::string> patterns;
};

int fit(const Context& context, const PatternOptions& options) {
  const auto curves = present::fit_curves(present::find_curves(
      context.results, {options.patterns, context.device}, present::say_left_out));
  if (curves.empty())
    throw Error(ErrorKind::usage, "no stored run has three sizes of such a collective",
                "ridgeline run 'collectives/*,ranks=2,*' --profile nightly measures some");
  if (context.json)
    present::print_json(
        {{"curves", json::list(curves, [](const auto& one) { return present::to_json(one); })}});
  else
    present::say(stdout, present::fits_text(curves, present::look_of(stdout).width));
  return present::fine;
}

int choices(const Context& context, const PatternOptions& options) {
  const auto curves = present::find_choices(context.results, {options.patterns, context.device},
                                            present::say_left_out);
  if (curves.empty())
    throw Error(ErrorKind::usage, "no stored run has told a library what to choose",
                "ridgeline run --device cuda:0 'collectives/nccl/f32/*,mode=pipelined,calls=16*' "
                "measures NCCL so");
  if (context.json)
    present::print_json(
        {{"curves", json::list(curves, [](const auto& one) { return present::to_json(one); })}});
  else
    present::say(stdout, present::choices_text(curves, present::look_of(stdout).width));
  return present::fine;
}

int rows(const Context& context, const PatternOptions& options) {
  const auto operations = present::find_rows(context.results, {options.patterns, context.device},
                                             present::say_left_out);
  if (operations.empty())
    throw Error(ErrorKind::usage, "no stored run has rows of two lengths of a collective",
                "ridgeline run --device cuda:0 "
                "collectives/nccl/f32/op=all_reduce,ranks=2,bytes=1048576,mode=pipelined,calls=16 "
                "collectives/nccl/f32/op=all_reduce,ranks=2,bytes=1048576,mode=pipelined,calls=64 "
                "measures two");
  if (context.json)
    present::print_json({{"operations", json::list(operations, [](const auto& one) {
                            return present::to_json(one);
                          })}});
  else
    present::say(stdout, present::rows_text(operations, present::look_of(stdout).width));
  return present::fine;
}

int beside(const Context& context, const PatternOptions& options) {
  const auto all = present::find_beside(context.results, {options.patterns, context.device},
                                        present::say_left_out);
  if (all.empty())
    throw Error(ErrorKind::usage, "no stored run has all that is timed of a collective beside work",
                "ridgeline run 'beside/*,ranks=2,*' --profile nightly measures some");
  if (context.json)
    present::print_json(
        {{"beside", json::list(all, [](const auto& one) { return present::to_json(one); })}});
  else
    present::say(stdout, present::beside_text(all, present::look_of(stdout).width));
  return present::fine;
}

struct LayerOptions {
  std::vector<std::string> patterns;
  int hidden = 0, layers = 1;
};

int layers(const Context& context, const LayerOptions& options) {
  present::LayerChoice choice{
      {options.patterns, context.device}, {4096, 8192}, 1.0 * options.layers};
  if (options.hidden > 0) choice.hidden = {1.0 * options.hidden};
  const auto all = present::find_layers(context.results, choice, present::say_left_out);
  if (all.empty())
    throw Error(ErrorKind::usage, "no stored run has what ranks exchange that share such layers",
                "ridgeline run 'collectives/*,ranks=2,*' --profile tensor_parallel measures it");
  if (context.json)
    present::print_json(
        {{"layers", options.layers},
         {"groups", json::list(all, [](const auto& one) { return present::to_json(one); })}});
  else
    present::say(stdout, present::layers_text(all, choice.layers, present::look_of(stdout).width));
  return present::fine;
}

int pairs(const Context& context, const PatternOptions& options) {
  const present::PairMatrices found =
      present::find_pairs(context.results, options.patterns, present::say_left_out);
  if (found.matrices.empty())
    throw Error(ErrorKind::usage, "no stored run has copied between GPUs",
                "ridgeline run 'peers/*' --device all measures every pair of a host");
  if (context.json)
    present::print_json(present::to_json(found));
  else
    present::say(stdout, present::pairs_text(found, present::look_of(stdout).width));
  return present::fine;
}

struct ProjectOptions {
  std::string parameters, dtype = "f32", bucket = "25MiB", link;
  int ranks = 2;
};

int project(const Context& context, const ProjectOptions& options) {
  present::ProjectionChoice choice;
  choice.parameters = amount("--parameters", options.parameters, false, "7e9");
  choice.dtype = element_type(options.dtype);
  choice.ranks = options.ranks;
  choice.bucket_bytes = amount("--bucket", options.bucket, false, "25MiB");
  if (!options.link.empty()) choice.link = amount("--link", options.link, true, "300GB/s");
  std::vector<present::CollectiveCurve> curves;
  try {
    curves = present::find_curves(context.results, {{}, context.device}, present::say_left_out);
  } catch (const Error& error) {  // nothing is stored: the link is enough to say something
    if (!choice.link) throw;
  }
  const present::Projection projection = present::project(choice, curves);
  if (context.json)
    present::print_json(present::to_json(projection));
  else
    present::say(stdout, present::projection_text(projection));
  return present::fine;
}

}  // namespace

void add_collectives(Command program, Context& context) {
  const Command command = program.command(
      "collectives",
      "Collectives by size, by a library's choice, beside work, by layer, by pair of GPUs",
      R"(
Examples:
  ridgeline collectives fit --device cpu
  ridgeline collectives project --parameters 7e9 --ranks 8 --link 300GB/s
  ridgeline collectives pairs

All read stored runs and measure nothing. docs/collectives.md explains the numbers.)");
  const auto [fitting, fit_options] =
      add_command(command, context, "fit",
                  "Latency, rate and breaks of each operation, and how well a fit knows sizes",
                  R"(
  ridgeline collectives fit                                  all of the newest runs
  ridgeline collectives fit 'collectives/*/op=all_reduce,*'  of one operation)",
                  fit);
  fitting.option("PATTERN", fit_options.patterns, "Which cases; all without one");
  const auto add_choice = [&context](Command to) {
    to.option("--device", context.device,
              "cuda:0, words of a model, or the start of a UUID; without it all devices",
              {.value_name = "ID"});
    for (const auto add : {add_results_option, add_json_option}) add(to, context);
  };
  add_choice(fitting);
  const auto [choosing, choice_options] =
      add_command(command, context, "choices",
                  "A library's own choice of algorithm and protocol, beside all it can be told",
                  R"(
  ridgeline run --device cuda:0 'collectives/nccl/f32/*,ranks=2,*,mode=pipelined,calls=16*'
                                                             measures them
  ridgeline collectives choices '*/op=all_reduce,*'          of one operation)",
                  choices);
  choosing.option("PATTERN", choice_options.patterns, "Which cases; all without one");
  add_choice(choosing);
  const auto [lining_up, row_options] =
      add_command(command, context, "rows",
                  "A call alone, calls in a row, and what each further call of a row takes", R"(
  ridgeline collectives rows '*/op=broadcast,*'              of one operation)",
                  rows);
  lining_up.option("PATTERN", row_options.patterns, "Which cases; all without one");
  add_choice(lining_up);
  const auto [beside_command, beside_options] =
      add_command(command, context, "beside",
                  "What a reduction and products of matrices cost each other, and what is hidden",
                  R"(
  ridgeline run --device cuda:0 'beside/*,ranks=2,*' --profile full
                                                            measures them
  ridgeline collectives beside 'beside/nccl/*'              of one library)",
                  beside);
  beside_command.option("PATTERN", beside_options.patterns, "Which cases; all without one");
  add_choice(beside_command);
  const auto [adding_up, layer_options] = add_command(
      command, context, "layers", "What tensor parallelism exchanges, added up by layer", R"(
  ridgeline run --device cuda:0 'collectives/*,ranks=2,*' --profile tensor_parallel
                                                            measures it
  ridgeline collectives layers --layers 80 --hidden 8192    of a whole model)",
      layers);
  adding_up.option("PATTERN", layer_options.patterns, "Which cases; all without one");
  adding_up.option("--layers", layer_options.layers, "Of which times are told",
                   {.value_name = "N", .default_text = "1", .between = std::pair(1, 100000)});
  adding_up.option("--hidden", layer_options.hidden, "Hidden size; without it 4096 and 8192",
                   {.value_name = "N", .between = std::pair(1, 1000000)});
  add_choice(adding_up);
  const auto [pairing, pair_options] =
      add_command(command, context, "pairs",
                  "What every pair of GPUs of a host copies, and which pair is slower", R"(
  ridgeline collectives pairs                               the largest copies
  ridgeline collectives pairs 'peers/*,elements=1024,*'     of 4 KiB)",
                  pairs);
  pairing.option("PATTERN", pair_options.patterns, "Which cases of the suite peers");
  for (const auto add : {add_results_option, add_json_option}) add(pairing, context);
  const auto [projecting, options] =
      add_command(command, context, "project",
                  "What reducing the gradients of a model takes: bounds beside measurements",
                  R"(
  ridgeline collectives project --parameters 7e9 --dtype f32 --ranks 8 --bucket 25MiB
  ridgeline collectives project --parameters 7e9 --ranks 8 --link 32GB/s
                                        bounds by this link, in place of the highest bus bandwidth)",
                  project);
  projecting.option("--parameters", options.parameters, "Gradients of one step, such as 7e9",
                    {.value_name = "N", .required = true});
  projecting.option("--dtype", options.dtype, "Their type",
                    {.default_text = "f32", .one_of = {"f32", "f16", "bf16", "i8"}});
  projecting.option("--ranks", options.ranks, "Among which they are reduced",
                    {.value_name = "N", .required = true, .between = std::pair(1, 1000000)});
  projecting.option("--bucket", options.bucket, "Bytes that are reduced at a time",
                    {.value_name = "SIZE", .default_text = "25MiB"});
  projecting.option("--link", options.link, "Of a rank, in one direction, such as 300GB/s",
                    {.value_name = "RATE"});
  add_choice(projecting);
}

}  // namespace ridgeline::cli
