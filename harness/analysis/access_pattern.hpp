#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/record/measurement.hpp"

/// Whether the requests of a site cost more than their bytes ask for. A warp's request is no worse
/// than its lanes make it, so what they need is a bound: what is beyond it is certain waste.
namespace ridgeline::analysis {

/// The most sectors that all requests of a site to global memory need when the lanes of each read
/// or write bytes side by side, from the beginning of a sector on. Absent for accesses that are not
/// of lanes (a tensor core's, a copy engine's) and for sites without requests.
std::optional<double> sectors_needed(const record::Site& site);

/// The most wavefronts that all requests of a site to shared memory need when no two lanes meet in
/// a bank. Absent likewise.
std::optional<double> wavefronts_needed(const record::Site& site);

/// More sectors than needed over those needed: 8 for reads of 4 bytes, 32 bytes apart. Absent where
/// nothing is wasted, or nothing is known.
std::optional<double> uncoalesced(const record::Site& site);

/// More wavefronts than needed over those needed: 32 where all lanes want other words of one bank.
/// Absent likewise.
std::optional<double> conflicts(const record::Site& site);

/// Sums over sites of a case, those of global memory and those of shared memory apart.
struct Traffic {
  double sectors = 0, wavefronts = 0;
};
Traffic traffic(const std::vector<record::Site>& sites);

/// Share of a site in the sectors of all sites, or, for one without sectors, in the wavefronts.
/// Absent for a site with neither.
std::optional<double> share(const record::Site& site, const Traffic& all);

/// The cells of a site's row; empty where a quantity has no meaning.
struct SiteWords {
  std::string access;                  // "global load 4 B"
  std::string sectors, wavefronts;     // a request: "4.00"
  std::string lanes;                   // a request, the active ones: "32.0"
  std::string share;                   // "12.5%"
  std::string uncoalesced, conflicts;  // "8x"
};
SiteWords in_words(const record::Site& site, const Traffic& all);

}  // namespace ridgeline::analysis
