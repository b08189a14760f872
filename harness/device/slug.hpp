#pragma once

#include <string>
#include <string_view>

namespace ridgeline::device {

/// `name` as a word that is safe in a file name: lower-case letters, digits, and single hyphens
/// between them. "NVIDIA A100-SXM4-80GB" becomes "nvidia-a100-sxm4-80gb"; a plus is spelt out,
/// since "8480+" is another model than "8480".
std::string slug(std::string_view name);

/// What a CPU's vendor calls it, less what says nothing about the model: (R), (TM), "CPU",
/// "Processor", "96-Core", "@ 2.00GHz".
std::string clean_cpu_name(std::string_view name);

}  // namespace ridgeline::device
