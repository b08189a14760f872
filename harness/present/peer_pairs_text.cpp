#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/peer_pairs.hpp"
#include "harness/present/table.hpp"
#include "harness/present/wrapped.hpp"

namespace ridgeline::present {
namespace {

using analysis::PeerPair;

std::string direction_text(const std::string& direction) {
  if (direction == "to_peer") return "row writes to column";
  if (direction == "from_peer") return "row reads from column";
  if (direction == "both_ways") return "both write to each other, both ways together";
  return printable(direction);
}

std::string cell(const PairMatrix& matrix, const std::string& gpu, const std::string& peer) {
  if (gpu == peer) return "-";
  const auto found = std::ranges::find_if(
      matrix.pairs, [&](const PeerPair& pair) { return pair.gpu == gpu && pair.peer == peer; });
  if (found == matrix.pairs.end()) return "";
  return units::byte_rate(found->rate) + (found->is_unstable ? " unstable" : "");
}

std::string share_text(const PairMatrix& matrix) {
  const auto [low, high] = std::ranges::minmax_element(
      matrix.pairs, {}, [](const PeerPair& pair) { return pair.share_of_roof().value_or(0); });
  const auto least = low->share_of_roof(), most = high->share_of_roof();
  if (!least || !most) return "";
  const std::string above = *most > 1 ? ", which is above the wire" : "";
  std::string reached = units::percent(*least);
  if (units::percent(*most) != reached) reached += " to " + units::percent(*most);
  return fmt::format("Of the {} that the links carry, pairs reach {}{}. ",
                     units::byte_rate(*high->roof), reached, above);
}

std::string slowest_text(const PairMatrix& matrix) {
  if (const PeerPair* pair = analysis::slowest(matrix.pairs))
    return fmt::format("{} with {} is slower than the other pairs by {} (at least {}).",
                       printable(pair->gpu), printable(pair->peer), units::percent(pair->ratio - 1),
                       units::percent(pair->interval->low - 1));
  if (matrix.pairs.size() < 2) return "One pair alone has none to compare with.";
  if (!matrix.pairs.front().interval)
    return "With one process per case, nothing tells a slower pair from noise.";
  return "No pair is slower than the others beyond noise.";
}

}  // namespace

std::string pairs_text(const PairMatrices& all, std::size_t width) {
  std::string text = wrapped(
      fmt::format("Host {}, {}", printable(all.host), all.runs.size() == 1 ? "run " : "runs ") +
          printable(fmt::format("{}", fmt::join(all.runs, ", ")), 4000),
      width, 0);
  for (const PairMatrix& matrix : all.matrices) {
    text += "\n" + printable(matrix.variant) + ", " + units::bytes(matrix.bytes) + ": " +
            direction_text(matrix.direction) + "\n";
    std::vector<Table::Column> columns{{""}};
    for (const std::string& peer : all.gpus)
      columns.push_back({printable(peer), Table::Align::right});
    Table table(std::move(columns));
    for (const std::string& gpu : all.gpus) {
      std::vector<std::string> cells{printable(gpu)};
      for (const std::string& peer : all.gpus) cells.push_back(cell(matrix, gpu, peer));
      table.add(std::move(cells));
    }
    text += table.text(width) + wrapped(share_text(matrix) + slowest_text(matrix), width, 0);
  }
  return text + (all.roof_source.empty()
                     ? "\nThe runs do not say what the links between the GPUs carry.\n"
                     : fmt::format("\nThe links: {}.\n", printable(all.roof_source)));
}

json::Value to_json(const PairMatrices& all) {
  json::Value made{
      {"host", all.host},
      {"gpus", json::list(all.gpus, [](const std::string& gpu) { return json::Value(gpu); })},
      {"runs", json::list(all.runs, [](const std::string& run) { return json::Value(run); })},
      {"matrices", json::list(all.matrices, [](const PairMatrix& matrix) {
         json::Value of{{"variant", matrix.variant},
                        {"direction", matrix.direction},
                        {"bytes", matrix.bytes},
                        {"pairs", json::list(matrix.pairs, [](const PeerPair& pair) {
                           json::Value one{{"gpu", pair.gpu},
                                           {"peer", pair.peer},
                                           {"rate", pair.rate},
                                           {"unstable", pair.is_unstable},
                                           {"ratio", pair.ratio}};
                           if (pair.roof) one["roof"] = *pair.roof;
                           if (const auto share = pair.share_of_roof()) one["share"] = *share;
                           if (pair.interval) {
                             one["interval"] = {pair.interval->low, pair.interval->high};
                             one["slower"] = pair.is_slower();
                           }
                           return one;
                         })}};
         if (const PeerPair* pair = analysis::slowest(matrix.pairs))
           of["slowest"] = {{"gpu", pair->gpu}, {"peer", pair->peer}};
         return of;
       })}};
  if (!all.roof_source.empty()) made["links"] = all.roof_source;
  return made;
}

}  // namespace ridgeline::present
