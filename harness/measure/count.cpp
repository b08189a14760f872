#include "harness/measure/count.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/core.h>

#include "harness/measure/count_metrics.hpp"

namespace ridgeline::measure {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_source_bytes = 4u << 20;  // of all sources: they have to fit into a
                                                     // message

/// When this program was built: a source that is newer is not what it was compiled from.
fs::file_time_type built() {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time("/proc/self/exe", error);
  return error ? fs::file_time_type::min() : time;
}

std::vector<record::Site> sites_of(const device::Counts& counts) {
  std::vector<record::Site> sites;
  for (const device::SiteCount& site : counts.sites)
    sites.push_back({site.kernel, site.file, site.line, site.access, site.lane_bytes, site.requests,
                     site.lanes, site.sectors, site.wavefronts});
  return sites;
}

/// Nothing unless it is a text of at most `most` bytes.
std::optional<std::string> read_text(const fs::path& file, std::size_t most) {
  std::error_code error;
  if (const auto size = fs::file_size(file, error); error || size > most) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream || text.size() > most || text.find('\0') != std::string::npos) return std::nullopt;
  return text;
}

}  // namespace

std::vector<record::Source> read_sources(const std::vector<record::Site>& sites,
                                         const fs::path& root, fs::file_time_type newest) {
  std::set<std::string> files;
  for (const record::Site& site : sites)
    if (!site.file.empty()) files.insert(site.file);
  std::vector<record::Source> sources;
  std::size_t left = most_source_bytes;
  for (const std::string& file : files) {
    if (sources.size() == record::max_sources) break;
    std::error_code error;
    const fs::path path = root / file;  // an absolute name stays what it is
    if (const auto changed = fs::last_write_time(path, error); error || changed > newest) continue;
    auto text = read_text(path, std::min(record::max_source_bytes, left));
    if (!text) continue;
    left -= text->size();
    sources.push_back({file, std::move(*text)});
  }
  return sources;
}

void add_counts(const device::Counts& counts, const fs::path& sources,
                record::Measurement& measurement) {
  for (record::Metric& metric : count_metrics(counts))
    measurement.metrics.push_back(std::move(metric));
  measurement.sites = sites_of(counts);
  if (!sources.empty()) measurement.sources = read_sources(measurement.sites, sources, built());
}

void count(const Workload& workload, device::Device& device, const fs::path& sources,
           record::Measurement& measurement) {
  workload.poison(0);
  device.synchronize();
  device.take_counts();  // of what preparing has launched
  workload.launch(Turn{}, device.stream());
  device.synchronize();
  const device::Counts counts = device.take_counts();
  const record::Verification found = workload.verify(Turn{});
  measurement.verification = found;
  if (!found.right()) {
    measurement.outcome = record::Outcome::wrong_result;
    measurement.reason =
        std::isnan(found.error)
            ? "the output was not written, or holds values that are not numbers"
            : fmt::format("the output differed from the oracle's: error {:.3g}, tolerance {:.3g}",
                          found.error, found.tolerance);
    return;
  }
  measurement.outcome = record::Outcome::counted;
  add_counts(counts, sources, measurement);
}

}  // namespace ridgeline::measure
