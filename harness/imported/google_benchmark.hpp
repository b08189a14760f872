#pragma once

#include <istream>
#include <string>

#include "harness/imported/contents.hpp"

namespace ridgeline::imported {

/// A document of --benchmark_format=json, or --benchmark_out, of Google Benchmark up to schema 1.
/// `file` is how Errors call it.
///
/// Repetitions are samples of one execution, the mean of their iterations each; of a file that
/// `ridgeline export` wrote they are samples of the
/// execution that each names. Aggregates count only where the repetitions were
/// left out: then the median of them is the one sample.
Contents read_google_benchmark(std::istream& stream, const std::string& file);

}  // namespace ridgeline::imported
