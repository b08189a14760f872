#include "harness/analysis/report_sites.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "harness/analysis/access_pattern.hpp"

namespace ridgeline::analysis {
namespace {

using Json = json::Value;
using record::Site;

void put_count(Json& object, const char* key, std::uint64_t value) {
  if (value > 0) object[key] = value;
}

Json to_json(const Site& site, const Traffic& all) {
  Json object{{"kernel", site.kernel}, {"file", site.file}};
  if (site.line > 0) object["line"] = site.line;
  object["access"] = site.access;
  if (site.lane_bytes > 0) object["lane_bytes"] = site.lane_bytes;
  object["requests"] = site.requests;
  put_count(object, "lanes", site.lanes);
  put_count(object, "sectors", site.sectors);
  put_count(object, "wavefronts", site.wavefronts);
  json::put(object, "sectors_needed", sectors_needed(site));
  json::put(object, "wavefronts_needed", wavefronts_needed(site));
  json::put(object, "uncoalesced", uncoalesced(site));
  json::put(object, "conflicts", conflicts(site));
  json::put(object, "share", share(site, all));
  const SiteWords words = in_words(site, all);
  object["words"] = Json{{"access", words.access}};
  for (const auto& [key, text] :
       {std::pair("sectors", &words.sectors), std::pair("wavefronts", &words.wavefronts),
        std::pair("lanes", &words.lanes), std::pair("share", &words.share),
        std::pair("uncoalesced", &words.uncoalesced), std::pair("conflicts", &words.conflicts)})
    json::put(object["words"], key, *text);
  return object;
}

/// Sums over all of `sites`.
Json left_out(const std::vector<const Site*>& sites) {
  Site sum;
  for (const Site* site : sites) {
    sum.requests += site->requests;
    sum.sectors += site->sectors;
    sum.wavefronts += site->wavefronts;
  }
  Json object{{"sites", sites.size()}, {"requests", sum.requests}};
  put_count(object, "sectors", sum.sectors);
  put_count(object, "wavefronts", sum.wavefronts);
  return object;
}

/// The sites that are shown, in the order given, and those that are not.
std::pair<std::vector<const Site*>, std::vector<const Site*>> chosen(
    const std::vector<Site>& sites) {
  std::vector<const Site*> all;
  for (const Site& site : sites) all.push_back(&site);
  if (all.size() <= most_reported_sites) return {all, {}};
  std::ranges::stable_sort(all, std::ranges::greater{}, [](const Site* site) {
    return std::tuple(site->sectors + site->wavefronts, site->requests);
  });
  std::vector<const Site*> rest(all.begin() + most_reported_sites, all.end());
  all.resize(most_reported_sites);
  std::ranges::sort(all);  // places in `sites`
  return {all, rest};
}

}  // namespace

std::size_t SourceTable::place(const record::Source& source) {
  const auto found = std::ranges::find(sources_, source);
  if (found != sources_.end()) return static_cast<std::size_t>(found - sources_.begin());
  sources_.push_back(source);
  return sources_.size() - 1;
}

Json SourceTable::to_json() const {
  Json list = Json::array();
  for (const record::Source& source : sources_) {
    Json object{{"file", source.file}};
    if (source.text.size() <= longest_reported_source)
      object["text"] = source.text;
    else
      object["bytes"] = source.text.size();
    list.push_back(object);
  }
  return list;
}

void put_sites(Json& object, const CountedCase& counted, SourceTable& sources) {
  if (!counted.shown) return;
  const record::Measurement& measurement = counted.shown->measurement;
  const auto [shown, rest] = chosen(measurement.sites);
  const Traffic all = traffic(measurement.sites);
  object["sites"] = Json::array();
  for (const Site* site : shown) object["sites"].push_back(to_json(*site, all));
  if (!rest.empty()) object["sites_left_out"] = left_out(rest);
  object["sources"] = Json::array();
  for (const record::Source& source : measurement.sources)
    object["sources"].push_back(sources.place(source));
  if (counted.processes_differ) object["processes_differ"] = true;
}

}  // namespace ridgeline::analysis
