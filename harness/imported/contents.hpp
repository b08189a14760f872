#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/record/case.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"

/// What files of other benchmark programs hold, in our words and units. One file a format; each has
/// a function that reads a stream and knows nothing of a store.
namespace ridgeline::imported {

/// All that a file says of one case in one execution of its program. Times are unverified; what has
/// none has an outcome that says why.
struct Row {
  std::size_t line = 0;  // where it stands first
  int execution = 0;     // of the program, counted from 0; one, for most formats
  record::Case case_info;
  record::Measurement measurement;
};

/// What is doubtful of a file that is taken all the same.
struct Flag {
  std::size_t line = 0;  // 0: the whole file
  std::string what;      // a sentence without a full stop
};

struct Contents {
  std::string program;  // a word: "nvbench"
  std::string schema;   // of the format, as the file says it; empty when it does not
  std::string date;    // UTC, ISO 8601 to the second, when its numbers were measured; empty when it
                       // does not say
  std::string device;  // as the file names it; empty when it does not
  record::Facts facts;  // of the program, its call and the machine
  std::vector<Row> rows;
  std::vector<Flag> flags;
};

/// What a file may hold at most: as many cases as a worker may list.
inline constexpr std::size_t max_rows = 100'000, max_facts = 1000, max_flags = 100;

/// Throws a store Error: "cannot import x.json, line 7: <what>". Line 0 is the whole file.
[[noreturn]] void refuse(const std::string& file, std::size_t line, const std::string& what,
                         const std::string& advice = {});

}  // namespace ridgeline::imported
