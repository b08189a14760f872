#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/claim.hpp"
#include "harness/base/json.hpp"
#include "harness/present/report_data.hpp"
#include "harness/present/wrapped.hpp"
#include "harness/record/run.hpp"
#include "harness/store/selector.hpp"

/// `ridgeline report --claims`: what textbooks say, beside what is stored of a device.
namespace ridgeline::present {

struct JudgedCheck {
  analysis::Check check;
  analysis::Measured measured;
  analysis::ClaimVerdict verdict = analysis::ClaimVerdict::not_measured;
  std::string why;                 // it is not measured; empty when it is
  std::string of, over;            // the cases that were taken; empty without
  std::string run, over_run;       // ids of the runs that they come from
  std::vector<std::string> cases;  // that show it: those that were taken, else all candidates
  std::string command;             // that measures them, again or at last; empty where no case can
};

struct JudgedClaim {
  analysis::Claim claim;
  analysis::ClaimVerdict verdict = analysis::ClaimVerdict::not_measured;
  std::vector<JudgedCheck> checks;
};

struct ClaimsOfDevice {
  DeviceKind kind = DeviceKind::cuda;
  std::optional<record::Device> device;  // as it last was; absent where no run of this kind is
                                         // stored
  std::vector<JudgedClaim> claims;       // of this kind
};

/// Each check takes its cases from the newest run in which all of them have a good result, else
/// each from the newest of its own, where these runs can be compared. By device model; a kind of
/// device that claims are about and that has no run comes last, with nothing measured. With `run`,
/// a selector, from that one alone; a usage Error where no claim is about its kind of device. Runs
/// that a gate measured are left out, and those of machines that were not fit.
std::vector<ClaimsOfDevice> find_claims(const std::filesystem::path& results,
                                        const std::string& run,
                                        const std::vector<analysis::Claim>& claims);

/// Of the models among `all` runs of a folder, newest first; of one alone where `model` is not
/// empty. Runs `at_hand` are not read again. A model that cannot be read is left out, and
/// `left_out` told.
std::vector<ClaimsOfDevice> stored_claims(const std::vector<store::FoundRun>& all,
                                          const std::string& model,
                                          const std::vector<ReportRun>& at_hand,
                                          const std::vector<analysis::Claim>& claims,
                                          const store::LeftOut& left_out);

/// In lines of `width` characters where that is possible.
std::string claims_text(const std::vector<ClaimsOfDevice>& devices, std::size_t width = any_width);
/// The same as a table in Markdown for each device, below a heading of the second level.
std::string claims_markdown(const std::vector<ClaimsOfDevice>& devices);
/// What is unknown is left out.
json::Value to_json(const std::vector<ClaimsOfDevice>& devices);
/// A list of the devices as above, as report documents have it; empty when no claim is judged of
/// any.
json::Value report_json(const std::vector<ClaimsOfDevice>& devices);

}  // namespace ridgeline::present
