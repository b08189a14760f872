#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/analysis/standing.hpp"
#include "harness/present/comparison.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::cli {

struct ReportOptions {
  std::string selector;               // empty: the newest finished run of each model
  std::string gate;                   // empty: the newest finished gate of each of these models
  std::vector<std::string> compared;  // two runs; empty: those of the only two models of one kind
  int nights = 90;                    // that are drawn; 0: none
  std::string output;                 // empty: report/ in the results folder
  std::vector<std::string> formats;   // of the files of each figure; empty: all
  bool text = false;                  // print it, and write nothing
  bool claims = false;                // print what textbooks say beside results, and nothing else
  bool markdown = false;              // of the claims
};

/// What the report is about.
struct Chosen {
  std::vector<store::FoundRun> runs;
  std::vector<store::FoundGate> gates;
  std::vector<analysis::DeviceTrend> trends;
  analysis::TrendRules trend_rules;
  std::vector<present::ComparedRuns> comparisons;
};

/// What `options` ask for in the folder `results`. Throws a store Error where nothing is stored;
/// `left_out` is told of what cannot be read.
Chosen choose(const std::filesystem::path& results, const ReportOptions& options,
              const store::LeftOut& left_out);

/// The device of the run that was asked for; empty where none was: all are meant.
std::string asked_device(const Chosen& chosen, const ReportOptions& options);

}  // namespace ridgeline::cli
