#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/record/run.hpp"
#include "harness/run/fitness.hpp"

/// Whether a GPU is fit to be measured, by what nvidia-smi answers.
namespace ridgeline::run {

/// How nvidia-smi is asked.
struct Smi {
  std::string program = "nvidia-smi";
  double answer_s = 30;  // a healthy driver answers within one or two
  double again_s = 2;    // before a GPU that looks busy is looked at once more
};

/// nvidia-smi cannot be asked; says what was tried and what came back.
struct NoAnswer : std::runtime_error {
  NoAnswer(const std::string& why, bool installed)
      : std::runtime_error(why), installed(installed) {}
  bool installed;
};

/// What nvidia-smi says of a GPU: fields by the names of `nvidia-smi --help-query-gpu`. What the
/// GPU does not have is "N/A", and what the driver does not know or may not tell is absent.
struct GpuFacts {
  std::map<std::string, std::string> fields;
  std::vector<std::string> processes;  // that compute on it: "python3 (pid 12, 3000 MiB)"
};

/// `gpu`: what --id takes. Throws NoAnswer.
GpuFacts ask_smi(const std::string& gpu, const Smi& smi = {});

/// Pure: a finding for each thing that matters.
Findings judge_gpu(const GpuFacts& facts);

/// All that can be said of the GPU `device`. Where nvidia-smi is not installed, what the worker has
/// read by NVML takes its place, as far as it goes.
Findings look_at_gpu(const record::Device& device, const Smi& smi = {});

}  // namespace ridgeline::run
