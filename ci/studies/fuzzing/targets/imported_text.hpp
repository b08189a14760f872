#pragma once

#include <istream>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "ci/studies/fuzzing/targets/target.hpp"
#include "harness/imported/contents.hpp"
#include "harness/imported/names.hpp"
#include "harness/record/fields.hpp"
#include "harness/record/rules.hpp"

/// What must hold of a file of another program that is accepted.
namespace ridgeline::fuzzing {

inline void check_row(const imported::Row& row) {
  const record::Measurement& m = row.measurement;
  expect(
      m.case_name == record::name(row.case_info.id) && m.case_name.size() <= record::max_name_bytes,
      "a name that is none: " + m.case_name);
  for (const std::string* word :
       {&row.case_info.id.suite, &row.case_info.id.variant, &row.case_info.id.dtype})
    expect(!word->empty() && word->find_first_not_of(record::word_characters) == std::string::npos,
           "a word that is none: " + *word);
  expect(imported::case_of(m.case_name).has_value(), "no name of a case: " + m.case_name);
  expect(row.line > 0, "a row from nowhere");
  const std::string broken = record::broken_rule(m, m.sample_count());
  expect(broken.empty(), m.case_name + " " + broken);
  expect(m.outcome != record::Outcome::ok, "a time that nobody verified is ok");
  for (const double ns : m.samples_ns)
    expect(record::time.allows(ns), fmt::format("a time of {} ns", ns));
  for (const record::Metric& metric : m.metrics)
    expect(record::amount.allows(metric.value) && record::broken_rule(metric).empty(),
           fmt::format("{} is {}", metric.name, metric.value));
}

template <class Read>
void read_imported(std::string_view input, Read&& read) {
  std::istringstream stream{std::string(input)};
  imported::Contents contents;
  if (!accepts({ErrorKind::store}, [&] { contents = read(stream, "all_reduce_perf.txt"); })) return;
  expect(!contents.rows.empty() && contents.rows.size() <= imported::max_rows, "rows without end");
  expect(contents.flags.size() <= imported::max_flags + 10, "flags without end");
  for (const imported::Row& row : contents.rows) check_row(row);
}

}  // namespace ridgeline::fuzzing
