#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/layer_time.hpp"
#include "harness/base/json.hpp"
#include "harness/present/collective_case.hpp"
#include "harness/present/collectives.hpp"

/// `ridgeline collectives layers`: what tensor parallelism exchanges, added up by layer.
namespace ridgeline::present {

/// One exchange of a layer: each call alone, and in rows of 16 per call.
struct LayerExchange {
  std::optional<analysis::LayerTime> alone, in_rows;
  bool empty() const { return !alone && !in_rows; }
};

struct LayerOfSize {
  double hidden = 0, tokens = 0, bytes = 0;  // bytes: tokens x hidden size elements
  LayerExchange plain;                       // by all_reduce
  LayerExchange sequence;  // by reduce_scatter and all_gather, where the ranks can share the tokens
};

/// All sizes of the newest run that has such, by hidden size and tokens.
struct LayersOfRanks {
  std::string run, model;
  CollectiveCase of;  // the first of them; its operation, mode, calls and bytes mean nothing
  std::vector<LayerOfSize> sizes;
};

struct LayerChoice {
  CurveChoice cases;
  std::vector<double> hidden;  // sizes
  double layers = 1;           // of which times are told
};

/// By model, variant, type and number of ranks. As find_curves.
std::vector<LayersOfRanks> find_layers(const std::filesystem::path& results,
                                       const LayerChoice& choice, const store::LeftOut& left_out);

std::string layers_text(const std::vector<LayersOfRanks>& all, double layers, std::size_t width);
json::Value to_json(const LayersOfRanks& all);

}  // namespace ridgeline::present
