#include "harness/record/run.hpp"

namespace ridgeline::record {
namespace {

constexpr Name<RunStatus> statuses[] = {
    {RunStatus::running, "running"},
    {RunStatus::finished, "finished"},
    {RunStatus::interrupted, "interrupted"},
    {RunStatus::failed, "failed"},
};

}  // namespace

std::string_view to_string(RunStatus status) { return name_of(status); }
std::span<const Name<RunStatus>> names(RunStatus) { return statuses; }

}  // namespace ridgeline::record
