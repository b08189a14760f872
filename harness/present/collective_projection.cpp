#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/collectives.hpp"

namespace ridgeline::present {
namespace {

/// Of more than one rank; the best first.
const CollectiveCurve* best_curve(const ProjectionChoice& choice,
                                  const std::vector<CollectiveCurve>& curves) {
  const auto strangeness = [&](const CollectiveCurve* curve) {
    return std::tuple(curve->of.ranks != choice.ranks, -curve->of.ranks,
                      curve->of.dtype != to_string(choice.dtype), curve->of.mode != "pipelined",
                      -std::ssize(curve->points));
  };
  const CollectiveCurve* best = nullptr;
  for (const CollectiveCurve& curve : curves) {
    if (curve.of.operation != "all_reduce" || !curve.of.options.empty() || curve.of.ranks < 2)
      continue;
    if (best == nullptr || strangeness(&curve) < strangeness(best)) best = &curve;
  }
  return best;
}

double others(int ranks) { return static_cast<double>(ranks - 1) / ranks; }

std::string milliseconds(double ns) { return units::in({"ms", 1e6}, ns); }

}  // namespace

Projection project(const ProjectionChoice& choice, const std::vector<CollectiveCurve>& curves) {
  Projection made{choice, {}, choice.link, "as given", {}, {}, 1, {}};
  made.gradients = {choice.parameters * static_cast<double>(size_of(choice.dtype)),
                    choice.bucket_bytes, choice.ranks};
  const CollectiveCurve* const best = best_curve(choice, curves);
  if (best == nullptr) return made;
  made.curve = fit_curves({*best}).front();
  if (!made.link && best->best_busbw) {
    made.link = best->best_busbw;
    made.link_from = "the highest bus bandwidth of the curve";
  }
  if (choice.ranks < 2) return made;
  made.scale = others(choice.ranks) / others(best->of.ranks);
  made.measured = analysis::by_curve(made.gradients, made.curve->fit, made.scale);
  if (best->of.ranks != choice.ranks)
    made.doubts.push_back(fmt::format(
        "extrapolated from {} ranks to {}: times are multiplied by {:.3g}, as those of a ring",
        best->of.ranks, choice.ranks, made.scale));
  if (best->of.dtype != to_string(choice.dtype))
    made.doubts.push_back(
        fmt::format("the curve is of {}, by the bytes of its messages", printable(best->of.dtype)));
  if (best->of.mode != "pipelined")
    made.doubts.push_back("the curve is of calls that all ranks begin together");
  if (made.measured->extrapolated)
    made.doubts.push_back(fmt::format("extrapolated beyond the sizes of the curve, {} to {}",
                                      units::bytes(made.curve->fit.smallest()),
                                      units::bytes(made.curve->fit.largest())));
  return made;
}

std::string projection_text(const Projection& of) {
  const ProjectionChoice& choice = of.choice;
  std::string text =
      fmt::format("{} parameters of {} are {:.3g} GB of gradients; n = {}, buckets of {}\n",
                  units::plain(choice.parameters), to_string(choice.dtype),
                  of.gradients.bytes / 1e9, choice.ranks, units::bytes(choice.bucket_bytes));
  const auto line = [&](const std::string& what, const std::string& ns, const std::string& how) {
    text += fmt::format("  {:<22}{:>12}  {}\n", what, ns, how);
  };
  if (of.link) {
    const std::string rate = units::byte_rate(*of.link);
    line("one-way copy", milliseconds(one_way_ns(of.gradients, *of.link)),
         fmt::format("all bytes once over {} ({})", rate, of.link_from));
    line("ideal ring", milliseconds(ring_ns(of.gradients, *of.link)),
         choice.ranks < 2 ? "one rank does not communicate"
                          : fmt::format("2(n-1)/n = {:.4g} times that, without latency",
                                        2 * others(choice.ranks)));
  } else {
    line("one-way copy", "?", "--link gives the rate of a link");
  }
  if (!of.measured) {
    line("by measurements", "?",
         choice.ranks < 2 ? "one rank does not communicate"
                          : "no run has three sizes of all_reduce between ranks; ridgeline run "
                            "'collectives/*/op=all_reduce,*' --profile nightly measures them");
    return text;
  }
  const CollectiveCurve& curve = of.curve->curve;
  line("by measurements", milliseconds(of.measured->ns),
       fmt::format("{:.0f} whole buckets{}, {} on {}, {} ranks, {}, run {}", of.measured->buckets,
                   of.measured->rest_bytes > 0
                       ? fmt::format(" and one of {}", units::bytes(of.measured->rest_bytes))
                       : "",
                   printable(curve.of.variant), printable(curve.model), curve.of.ranks,
                   printable(curve.of.dtype), printable(curve.run)));
  for (const std::string& doubt : of.doubts) text += fmt::format("  {:<36}{}\n", "", doubt);
  return text;
}

json::Value to_json(const Projection& of) {
  json::Value all{{"parameters", of.choice.parameters},
                  {"dtype", to_string(of.choice.dtype)},
                  {"ranks", of.choice.ranks},
                  {"bytes", of.gradients.bytes},
                  {"bucket_bytes", of.choice.bucket_bytes}};
  if (of.link) {
    all["link"] = *of.link;
    all["link_from"] = of.link_from;
    all["one_way_ns"] = one_way_ns(of.gradients, *of.link);
    all["ring_ns"] = ring_ns(of.gradients, *of.link);
  }
  if (of.measured) {
    all["measured"] = {{"ns", of.measured->ns},
                       {"buckets", of.measured->buckets},
                       {"rest_bytes", of.measured->rest_bytes},
                       {"extrapolated", of.measured->extrapolated || of.scale != 1},
                       {"scale", of.scale},
                       {"doubts", of.doubts}};
    all["curve"] = to_json(*of.curve);
  }
  return all;
}

}  // namespace ridgeline::present
