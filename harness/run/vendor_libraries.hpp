#pragma once

#include <string>
#include <vector>

namespace ridgeline::run {

/// A shared library that workers open at run time, under one of several names.
struct VendorLibrary {
  std::string name;
  std::vector<const char*> files;
};

/// Those that cases on GPUs call: all but the driver.
const std::vector<VendorLibrary>& vendor_libraries();

/// The file that a worker beside this program gets when it opens the first of `files` that there
/// is: the system's, else that of a wheel of NVIDIA's in this program's environment. Empty when
/// none can be opened, or opening it kills.
std::string opened_library(const std::vector<const char*>& files);

}  // namespace ridgeline::run
