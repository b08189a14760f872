#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/imported/nvbench.hpp"
#include "harness/outside/programs/kinds.hpp"
#include "harness/outside/programs/started.hpp"

namespace ridgeline::outside {
namespace {

/// "0" of "cuda:0".
std::string index_of(const std::string& device) {
  const std::size_t colon = device.find(':');
  return colon == std::string::npos ? "0" : device.substr(colon + 1);
}

/// A benchmark of NVBench has many states, which are the cases. It is executed whole: what it has
/// found for others is kept until they are asked for.
class NvBench final : public BenchProgram {
 public:
  NvBench(std::filesystem::path program, std::vector<std::string> arguments)
      : program_(std::move(program)), arguments_(std::move(arguments)) {}

  /// NVBench lists axes and no states, so that each is executed once.
  std::vector<Listed> list() override {
    const ResultsFolder folder;
    std::vector<std::string> arguments{"--devices", "0", "--run-once"};
    arguments.insert(arguments.end(), arguments_.begin(), arguments_.end());
    arguments.insert(arguments.end(), {"--json", folder.file().string()});
    std::vector<Listed> listed;
    for (const imported::Row& row :
         run_for_results(program_, arguments, folder.file(), read_in(folder)).rows) {
      Listed& one = listed.emplace_back();
      one.info = row.case_info;
      one.info.device_kind = DeviceKind::cuda;
      const auto benchmark = row.measurement.said.find("benchmark");
      if (benchmark != row.measurement.said.end()) one.name = benchmark->second;
    }
    return listed;
  }

  record::Measurement measure(const Listed& wanted, const std::string& device,
                              const protocol::Sample& how) override {
    const std::string name = record::name(wanted.info.id);
    if (!kept_.contains(name)) execute(wanted, device, how);
    const auto found = kept_.find(name);
    if (found == kept_.end())
      throw Error(
          ErrorKind::dependency,
          fmt::format("{} wrote no result of {}", program_.filename().string(), printable(name)));
    record::Measurement measurement = std::move(found->second);
    kept_.erase(found);
    if (!record::has_samples(measurement.outcome))
      throw Error(ErrorKind::dependency, measurement.reason);
    return measurement;
  }

 private:
  using Read = std::function<imported::Contents(std::istream&, const std::string&)>;
  static Read read_in(const ResultsFolder& folder) {
    return [&folder](std::istream& stream, const std::string& name) {
      return imported::read_nvbench(stream, name, folder.path());
    };
  }

  void execute(const Listed& wanted, const std::string& device, const protocol::Sample& how) {
    const ResultsFolder folder;
    std::vector<std::string> arguments{"--devices", index_of(device), "--min-samples",
                                       std::to_string(std::max(how.min_samples, 1))};
    arguments.insert(arguments.end(), arguments_.begin(), arguments_.end());
    const auto chosen = [](const std::string& each) {
      return each == "--benchmark" || each == "-b";
    };
    if (std::ranges::none_of(arguments_, chosen) && !wanted.name.empty())
      arguments.insert(arguments.end(), {"--benchmark", wanted.name});
    arguments.insert(arguments.end(), {"--jsonbin", folder.file().string()});
    imported::Contents found = run_for_results(program_, arguments, folder.file(), read_in(folder));
    for (imported::Row& row : found.rows)
      kept_.insert_or_assign(record::name(row.case_info.id), std::move(row.measurement));
  }

  std::filesystem::path program_;
  std::vector<std::string> arguments_;
  std::map<std::string, record::Measurement> kept_;
};

}  // namespace

std::unique_ptr<BenchProgram> nvbench(std::filesystem::path program,
                                      std::vector<std::string> arguments) {
  return std::make_unique<NvBench>(std::move(program), std::move(arguments));
}

std::unique_ptr<BenchProgram> bench_program(const std::string& kind,
                                            const std::filesystem::path& program,
                                            std::vector<std::string> arguments) {
  if (kind == "google-benchmark") return google_benchmark(program, std::move(arguments));
  if (kind == "nvbench") return nvbench(program, std::move(arguments));
  throw Error(ErrorKind::usage, fmt::format("there are no programs of '{}'", printable(kind, 60)),
              "there are google-benchmark and nvbench");
}

}  // namespace ridgeline::outside
