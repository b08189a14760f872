#include <set>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/collectives.hpp"
#include "harness/present/table.hpp"

namespace ridgeline::present {
namespace {

/// Of the wire: no rate goes beyond it unless a switch adds up, or the rate is not one.
std::string share_text(std::optional<double> share) {
  if (!share) return "";
  return units::percent(*share) + (*share > 1 ? " above the wire" : "");
}

std::string wire_text(const CollectiveCurve& curve) {
  return curve.wire ? fmt::format("{}, run {}: {} one way by {}", printable(curve.model),
                                  printable(curve.run), units::byte_rate(curve.wire->value),
                                  printable(curve.wire->source))
                    : "";
}

std::string piece_text(const analysis::FitPiece& piece) {
  const std::string rate =
      piece.ns_per_byte > 0
          ? fmt::format(" + bytes at {}", units::byte_rate(1e9 / piece.ns_per_byte))
          : "";
  return fmt::format("{} to {}: {}{}", units::bytes(piece.from), units::bytes(piece.to),
                     units::time(piece.fixed_ns), rate);
}

}  // namespace

std::string fits_text(const std::vector<FittedCurve>& curves, std::size_t width) {
  using Align = Table::Align;
  Table table({{"operation"},
               {"sizes", Align::right},
               {"latency", Align::point},
               {"rate", Align::point},
               {"of the wire", Align::right},
               {"half of it from", Align::point},
               {"residual", Align::right},
               {"left out", Align::right}});
  std::string heading;
  std::set<std::string> wires;
  bool has_unknown = false;
  for (const auto& [curve, fit, left_out] : curves) {
    const std::string now = fmt::format("{}, run {}", printable(curve.model), printable(curve.run));
    if (now != heading) table.heading(heading = now);
    const auto rate = fit.rate(), half = fit.half_rate_bytes();
    table.add({printable(series_text(curve.of)), fmt::format("{}", curve.points.size()),
               units::time(fit.latency_ns()), rate ? units::byte_rate(*rate) : "",
               rate ? share_text(curve.share_of_wire(*rate)) : "", half ? units::bytes(*half) : "",
               units::percent(fit.residual),
               left_out ? units::percent(left_out->largest_error) : ""});
    for (const analysis::FitPiece& piece : fit.pieces) table.note(piece_text(piece));
    if (curve.wire)
      wires.insert(wire_text(curve));
    else
      has_unknown = has_unknown || curve.of.ranks > 1;
  }
  std::string of_wires;
  for (const std::string& wire : wires) of_wires += "\nThe wire of " + wire + ".";
  if (has_unknown)
    of_wires +=
        "\nNo wire where a run does not say which links are between its ranks: ranks on a "
        "CPU have none.";
  return table.text(width) + of_wires + (of_wires.empty() ? "" : "\n") +
         "\nlatency: at the smallest size. rate: what bytes over time goes towards. of the wire: "
         "its bus "
         "bandwidth over\nwhat the links between the ranks carry. residual: root mean square over "
         "the fitted sizes. left out: the largest error at sizes that a fit of "
         "every other one does not know.\n";
}

json::Value to_json(const FittedCurve& fitted) {
  const auto& [curve, fit, left_out] = fitted;
  json::Value all = series_json(curve.of);
  all["run"] = curve.run;
  all["model"] = curve.model;
  all["latency_ns"] = fit.latency_ns();
  all["residual"] = fit.residual;
  all["points"] = json::list(curve.points, [](const analysis::SizedTime& point) {
    return json::Value{{"bytes", point.bytes}, {"ns", point.ns}};
  });
  all["pieces"] = json::list(fit.pieces, [](const analysis::FitPiece& piece) {
    return json::Value{{"from_bytes", piece.from},
                       {"to_bytes", piece.to},
                       {"fixed_ns", piece.fixed_ns},
                       {"ns_per_byte", piece.ns_per_byte}};
  });
  const auto rate = fit.rate();
  if (rate) all["rate"] = *rate;
  if (const auto half = fit.half_rate_bytes()) all["half_rate_bytes"] = *half;
  if (curve.best_busbw) all["best_busbw"] = *curve.best_busbw;
  if (curve.wire) all["wire"] = {{"rate", curve.wire->value}, {"source", curve.wire->source}};
  if (const auto share = rate ? curve.share_of_wire(*rate) : std::nullopt) {
    all["share_of_wire"] = *share;
    all["above_wire"] = *share > 1;
  }
  if (left_out)
    all["left_out"] = {{"sizes", left_out->sizes},
                       {"largest_error", left_out->largest_error},
                       {"at_bytes", left_out->at_bytes}};
  return all;
}

}  // namespace ridgeline::present
