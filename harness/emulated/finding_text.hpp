#pragma once

#include <string>

#include "harness/emulated/global_memory.hpp"
#include "harness/emulated/report.hpp"

namespace ridgeline::emulated {

/// One sentence: what is wrong, in which kernel and line, by which thread, of which variable. "race
/// (read after write) in exchange_kernel at kernels/x.cu:12: thread 5 of block 0, with thread 4,
/// touches held (128 times)".
std::string text_of(const Report& report, const Finding& finding);

/// The same of host code.
std::string text_of(const HostAccess& access, const GlobalMemory& memory);

/// Throws device::KernelMistake for the first finding of the launch, with the others as advice, or
/// device::Unsupported when it was ended by what is not modelled. Does nothing when there is none.
void throw_findings(const Report& report);

}  // namespace ridgeline::emulated
