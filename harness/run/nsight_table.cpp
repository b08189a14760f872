#include "harness/run/nsight_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::run {
namespace {

using record::Direction;

/// So many times a counter, as a part of a metric.
struct Part {
  const char* counter;
  double times;
};

struct Hardware {
  const char* name;
  const char* unit;
  std::vector<Part> parts;
};

// Names of counters are those of `ncu --query-metrics`. No GPU has all of them: what one does not
// know it leaves out of the table. An instruction of CUDA cores is counted per thread. Those for
// f16 are left out, because nvcc makes constants with them.
const Hardware hardware[] = {
    {"hardware_dram_read_bytes", "B", {{"dram__bytes_read.sum", 1}}},
    {"hardware_dram_written_bytes", "B", {{"dram__bytes_write.sum", 1}}},
    {"hardware_l2_bytes", "B", {{"lts__t_sectors_srcunit_tex.sum", 32}}},
    {"hardware_flops",
     "1",
     {{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2},
      {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1},
      {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 1},
      {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 2},
      {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 1},
      {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", 1}}},
    {"hardware_tensor_flops",
     "1",
     {{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 1},
      {"sm__ops_path_tensor_src_fp16.sum", 1},
      {"sm__ops_path_tensor_src_fp16_dst_fp16.sum", 1},
      {"sm__ops_path_tensor_src_fp16_dst_fp32.sum", 1},
      {"sm__ops_path_tensor_src_tf32_dst_fp32.sum", 1},
      {"sm__ops_path_tensor_src_fp64.sum", 1},
      {"sm__ops_path_tensor_src_fp8.sum", 1},
      {"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16.sum", 1},
      {"sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum", 1}}},
    {"hardware_warp_instructions", "1", {{"sm__inst_executed.sum", 1}}},
    {"hardware_shared_wavefronts", "1", {{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 1}}},
};

using Cells = std::vector<std::string>;

/// Takes the first line of a table of comma-separated values (RFC 4180) off `text`.
Cells take_row(std::string_view& text) {
  Cells cells(1);
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cells.back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      cells.emplace_back();
    } else if (!quoted && c == '\n') {
      break;
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  text.remove_prefix(std::min(text.size(), i + 1));
  return cells;
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::dependency, fmt::format("Nsight Compute {}", what));
}

/// A number with commas between thousands.
double number(std::string cell, std::string_view counter) {
  const std::string shown = cell;
  std::erase(cell, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool possible = std::isfinite(value) && value >= 0;
  if (error != std::errc{} || end != cell.data() + cell.size() || !possible)
    refuse(fmt::format("has '{}' as {}", printable(shown, 60), counter));
  return value;
}

/// The columns that say in which profiler ranges a kernel ran.
bool tells_ranges(std::string_view column) {
  return column.find("Push/Pop") != column.npos || column.find("NVTX") != column.npos;
}

/// Sums of the counters over kernels in the range.
using Sums = std::map<std::string, double, std::less<>>;

std::optional<Sums> sums_of(std::string_view table, std::string_view range) {
  // Its own lines, and whatever the profiled program prints, stand before the table.
  while (!table.empty() && !table.starts_with("\"ID\"")) take_row(table);
  const Cells columns = take_row(table);
  std::optional<Sums> sums;
  while (!table.empty()) {
    if (!table.starts_with('"')) {
      take_row(table);
      continue;
    }
    const Cells row = take_row(table);
    if (row.size() != columns.size()) refuse("printed a row that does not fit its table");
    const auto is_of_case = [&](std::size_t i) {
      return tells_ranges(columns[i]) && row[i].find(range) != std::string::npos;
    };
    bool inside = false;
    for (std::size_t i = 0; i < columns.size(); ++i) inside = inside || is_of_case(i);
    if (!inside) continue;
    if (!sums) sums.emplace();
    for (std::size_t i = 0; i < columns.size(); ++i)
      for (const Hardware& metric : hardware)
        for (const Part& part : metric.parts)
          if (columns[i] == part.counter) (*sums)[columns[i]] += number(row[i], columns[i]);
  }
  return sums;
}

}  // namespace

std::string counters_asked_for() {
  std::vector<std::string_view> names;
  for (const Hardware& metric : hardware)
    for (const Part& part : metric.parts) names.emplace_back(part.counter);
  return fmt::format("{}", fmt::join(names, ","));
}

std::vector<record::Metric> hardware_metrics(std::string_view table, std::string_view case_name) {
  const std::optional<Sums> sums = sums_of(table, case_name);
  if (!sums) refuse("saw no kernel of the case");
  std::vector<record::Metric> metrics;
  for (const auto& [name, unit, parts] : hardware) {
    double value = 0;
    bool any = false;
    for (const Part& part : parts)
      if (const auto found = sums->find(part.counter); found != sums->end()) {
        value += part.times * found->second;
        any = true;
      }
    if (!any) refuse(fmt::format("read no counter for {}", name));
    metrics.push_back({name, value, unit, Direction::none});
  }
  return metrics;
}

}  // namespace ridgeline::run
