#include "harness/record/run.hpp"

namespace ridgeline::record {
namespace {

constexpr Name<RunStatus> statuses[] = {
    {RunStatus::running, "running"},
    {RunStatus::finished, "finished"},
    {RunStatus::interrupted, "interrupted"},
    {RunStatus::failed, "failed"},
};

constexpr Name<RoofClass> roof_classes[] = {
    {RoofClass::dram, "dram"}, {RoofClass::llc, "llc"},       {RoofClass::l1, "l1"},
    {RoofClass::fma, "fma"},   {RoofClass::tensor, "tensor"}, {RoofClass::latency, "latency"},
};

}  // namespace

std::string_view to_string(RunStatus status) { return name_of(status); }
std::span<const Name<RunStatus>> names(RunStatus) { return statuses; }

std::span<const Name<RoofClass>> names(RoofClass) { return roof_classes; }

RoofClass class_of_roof(std::string_view kind) {
  return parse<RoofClass>(kind.substr(0, kind.find('.'))).value_or(RoofClass::other);
}

}  // namespace ridgeline::record
