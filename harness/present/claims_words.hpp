#pragma once

#include <set>
#include <string>

#include "harness/present/claims.hpp"

/// What is said of claims, as it can be printed.
namespace ridgeline::present {

/// Of one check. What is not known is empty.
struct ClaimWords {
  std::string when;
  std::string measured;  // "0.174 (0.173 to 0.175)"
  std::string border;    // "about 0.25, within 10%"
  std::string verdict;   // "does not hold", "not measured here: ..."
  std::string command;
};
ClaimWords words_of(const JudgedCheck& check);

/// "holds only when each thread has 4 loads"
std::string words_of(const JudgedClaim& claim);

/// "hold", "does not hold": of so many claims.
std::string short_words(analysis::ClaimVerdict verdict, int count);

/// "27 claims: 9 hold, 1 does not hold, ..."
std::string claims_counted(const ClaimsOfDevice& of);

/// Ids of the runs that results were taken from, oldest first.
std::set<std::string> runs_taken(const ClaimsOfDevice& of);

}  // namespace ridgeline::present
