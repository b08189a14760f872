#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/imported/contents.hpp"

/// What tests of readers share.
namespace ridgeline::imported {

using ReadText = Contents (*)(std::istream&, const std::string& file);

inline Contents read_text(ReadText read, const std::string& text,
                          const std::string& file = "x.txt") {
  std::istringstream stream(text);
  return read(stream, file);
}

inline std::string fixture(const std::string& name) {
  std::ifstream stream(std::filesystem::path(RIDGELINE_IMPORTED_FOLDER) / "fixtures" / name,
                       std::ios::binary);
  EXPECT_TRUE(stream.good()) << name;
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What the refusal of `text` says; empty when it is taken.
inline std::string refusal(ReadText read, const std::string& text,
                           const std::string& file = "x.txt") {
  try {
    read_text(read, text, file);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::store);
    return error.what();
  }
  return {};
}

/// The row of a case, which there must be.
inline const Row& row_of(const Contents& contents, const std::string& name, int execution = 0) {
  for (const Row& row : contents.rows)
    if (row.measurement.case_name == name && row.execution == execution) return row;
  std::string names;
  for (const Row& row : contents.rows) names += "\n" + row.measurement.case_name;
  throw std::runtime_error("no row " + name + " among" + names);
}

inline double metric(const Row& row, const std::string& name) {
  for (const record::Metric& one : row.measurement.metrics)
    if (one.name == name) return one.value;
  throw std::runtime_error("no metric " + name + " of " + row.measurement.case_name);
}

inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t found = text.find(what);
  if (found == std::string::npos) throw std::runtime_error("there is no " + what);
  return text.replace(found, what.size(), with);
}

inline bool flags(const Contents& contents, const std::string& what, std::size_t line) {
  return std::ranges::any_of(contents.flags, [&](const Flag& flag) {
    return flag.line == line && flag.what.find(what) != std::string::npos;
  });
}

}  // namespace ridgeline::imported
