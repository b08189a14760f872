#include "harness/record/run.hpp"

#include "harness/base/names.hpp"

namespace ridgeline::record {
namespace {

constexpr Name<RunStatus> statuses[] = {
    {RunStatus::running, "running"},
    {RunStatus::finished, "finished"},
    {RunStatus::interrupted, "interrupted"},
    {RunStatus::failed, "failed"},
};

}  // namespace

std::string_view to_string(RunStatus status) { return name_of(statuses, status); }
std::optional<RunStatus> parse_run_status(std::string_view text) { return value_of(statuses, text); }

}  // namespace ridgeline::record
