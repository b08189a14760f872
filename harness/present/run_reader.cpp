#include "harness/present/run_reader.hpp"

#include <algorithm>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/present/repeat.hpp"
#include "harness/present/run_text.hpp"
#include "harness/present/terminal.hpp"

namespace ridgeline::present {

RunReader::RunReader(std::vector<store::FoundRun> all, std::vector<analysis::Ladder> ladders)
    : all_(std::move(all)), ladders_(std::move(ladders)) {}

const store::FoundRun* RunReader::find(const std::string& id) const {
  const auto found = std::ranges::find(
      all_, id,
      [](const store::FoundRun& one) -> const std::string& { return one.summary.run.id; });
  return found == all_.end() ? nullptr : &*found;
}

ReportRun RunReader::read(const store::FoundRun& found) {
  const record::Run& run = found.summary.run;
  ReportRun data = read_report_run(
      store::Store::open(found.file), found.summary, status(found, all_),
      run.imported.empty() ? repeating_line(run, found.summary.device.id) : run.command_line);
  data.ladders = ladders_;
  data.counted = counted(found.summary.device.pci_id);
  return data;
}

const CountedCases& RunReader::counted(const std::string& pci_id) {
  const auto [place, is_new] = counted_.try_emplace(pci_id);
  if (!is_new) return place->second;
  try {
    place->second = counted_for(pci_id, all_);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::store) throw;
    say_left_out(error);  // the run itself could be read
  }
  return place->second;
}

}  // namespace ridgeline::present
