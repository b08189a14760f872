#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

/// The programs that start ranks, as the command line calls them.
inline const std::vector<std::string> launchers{"mpirun", "srun"};

/// How ranks are started.
struct Launcher {
  std::string program = "mpirun";  // one of `launchers`
  std::filesystem::path hosts{};  // a hostfile of Open MPI's, for mpirun; empty: this host, or what
                                  // an allocation of Slurm's or Open MPI's settings say
};

/// Throws a dependency Error when the program is not on the PATH, a usage Error when the hosts
/// cannot be read, or are given to srun, which takes those of its allocation.
void check(const Launcher& launcher);

/// Whether it may start ranks on other hosts, so that nobody here knows how many have a place.
bool may_leave_host(const Launcher& launcher);

/// What runs of several ranks must have in common to be compared: "mpirun, 2 hosts". Empty where
/// mpirun starts all of them on this host.
std::string spread(const Launcher& launcher);

/// The line that starts `ranks` workers, told to report at the reception. On this host, what Open
/// MPI keeps lies in folders that are gone with them. Rank 0 must be on this host: the first of the
/// hosts. Throws as check() does.
Command launch_command(const Launcher& launcher, int ranks, const std::filesystem::path& worker,
                       const Reception& reception);

/// The first executable file called `name` on the PATH; empty when there is none.
std::filesystem::path find_on_path(const std::string& name);

}  // namespace ridgeline::process
