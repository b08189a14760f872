#pragma once

#include <filesystem>
#include <string>

#include "harness/process/child.hpp"
#include "harness/process/descriptor.hpp"

namespace ridgeline::process {

/// A listening socket on the loopback interface, where the worker that a launcher starts reports.
class Reception {
 public:
  Reception();
  int descriptor() const { return listener_.get(); }
  int port() const { return port_; }
  /// What the visitor must show first; nobody else on this machine can guess it.
  const std::string& token() const { return token_; }
  /// A waiting visitor's connection, which does not block; empty when there is none.
  Descriptor accept();

 private:
  Descriptor listener_;
  int port_ = 0;
  std::string token_;
};

/// The line that starts `ranks` workers under `launcher` ("mpirun"), told to report at the
/// reception, with folders that are gone with them. Throws a dependency Error when the launcher is
/// not on the PATH.
Command launch_command(const std::string& launcher, int ranks, const std::filesystem::path& worker,
                       const Reception& reception);

/// The first executable file called `name` on the PATH; empty when there is none.
std::filesystem::path find_on_path(const std::string& name);

}  // namespace ridgeline::process
