#include "harness/process/launcher.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/process/carried_variables.hpp"
#include "harness/protocol/messages.hpp"

namespace ridgeline::process {

Reception::Reception() {
  listener_ = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (!listener_ || bind(listener_.get(), plain, size) != 0 || listen(listener_.get(), 8) != 0 ||
      getsockname(listener_.get(), plain, &size) != 0)
    throw Error(ErrorKind::internal,
                fmt::format("cannot listen on 127.0.0.1: {}", std::strerror(errno)));
  port_ = ntohs(address.sin_port);
  unsigned char secret[16];
  if (getrandom(secret, sizeof secret, 0) != sizeof secret)
    throw Error(ErrorKind::internal,
                fmt::format("cannot get random bytes: {}", std::strerror(errno)));
  for (const unsigned char byte : secret) token_ += fmt::format("{:02x}", byte);
}

Descriptor Reception::accept() {
  Descriptor visitor(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const int now = 1;  // requests are short lines that are waited for
  if (visitor) setsockopt(visitor.get(), IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
  return visitor;
}

std::filesystem::path find_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code unreadable;
    if (std::filesystem::is_regular_file(file, unreadable) && access(file.c_str(), X_OK) == 0)
      return file;
  }
  return {};
}

/// Has Open MPI keep in a folder of this team's what `setting` says, instead of in `place`, where
/// it would stay when mpirun is killed; where there can be no such folder, nothing changes.
static void give_scratch(Command& command, const char* setting,
                         const std::filesystem::path& place) {
  std::string name = (place / "ridgeline-ranks-XXXXXX").string();
  if (place.empty() || mkdtemp(name.data()) == nullptr) return;
  command.scratch.emplace_back(name);
  command.environment.emplace_back(setting, name);
}

void check(const Launcher& launcher) {
  const bool by_slurm = launcher.program == "srun";
  if (!by_slurm && launcher.program != "mpirun")
    throw Error(ErrorKind::usage, fmt::format("unknown launcher {}", launcher.program),
                "known are mpirun and srun");
  if (find_on_path(launcher.program).empty())
    throw Error(ErrorKind::dependency, fmt::format("{} not found", launcher.program),
                by_slurm ? "install Slurm's programs (slurm-client), or leave out --launcher srun"
                         : "install Open MPI (openmpi-bin)");
  if (by_slurm && std::getenv("SLURM_JOB_ID") == nullptr)
    throw Error(ErrorKind::usage, "--launcher srun works within an allocation of Slurm's alone",
                "start ridgeline by sbatch or salloc: srun would have a job of its own elsewhere");
  if (launcher.hosts.empty()) return;
  if (by_slurm)
    throw Error(ErrorKind::usage, "--hosts does not go with --launcher srun",
                "leave it out: the hosts are those of Slurm's allocation");
  std::error_code unreadable;
  if (std::string line; !std::filesystem::is_regular_file(launcher.hosts, unreadable) ||
                        !std::getline(std::ifstream(launcher.hosts), line))
    throw Error(ErrorKind::usage,
                fmt::format("cannot read hosts from {}", printable(launcher.hosts.string())),
                "--hosts names a file with a host per line, such as: node1 slots=4");
}

bool may_leave_host(const Launcher& launcher) {
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  return !launcher.hosts.empty() || launcher.program == "srun" || is_set("SLURM_JOB_ID") ||
         is_set("OMPI_MCA_orte_default_hostfile");
}

/// Lines of a hostfile that name a host; 0 when it cannot be read.
static int hosts_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  int hosts = 0;
  for (std::string line; std::getline(stream, line);)
    if (const auto first = line.find_first_not_of(" \t"); first != std::string::npos)
      hosts += line[first] == '#' ? 0 : 1;
  return hosts;
}

std::string spread(const Launcher& launcher) {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string nodes = variable("SLURM_JOB_NUM_NODES");
  std::string hosts = "1";
  if (!launcher.hosts.empty())
    hosts = std::to_string(hosts_of(launcher.hosts));
  else if (!nodes.empty())
    hosts = nodes;
  else if (const std::string file = variable("OMPI_MCA_orte_default_hostfile"); !file.empty())
    hosts = std::to_string(hosts_of(file));
  if (hosts == "1" && launcher.program == "mpirun") return "";
  return fmt::format("{}, {} {}", launcher.program, hosts, hosts == "1" ? "host" : "hosts");
}

/// Of one that ends its ranks when it is asked to, within a second.
static Command polite_launcher(const Launcher& launcher, const Reception& reception) {
  Command command;
  command.program = find_on_path(launcher.program);
  command.environment = {{protocol::token_variable, reception.token()}};
  command.output_to_errors = true;
  command.polite_ms = 2000;
  return command;
}

// More ranks than cores are started all the same: the worker then says what there is no place for.
static Command srun_command(const Launcher& launcher, int ranks, const Reception& reception) {
  Command command = polite_launcher(launcher, reception);
  command.arguments = {"--mpi=pmix",
                       "--ntasks",
                       std::to_string(ranks),
                       "--overcommit",
                       "--cpu-bind=none",  // as of mpirun, below
                       "--overlap",        // with the step that ridgeline itself may be
                       "--kill-on-bad-exit=1",
                       fmt::format("--export={}", fmt::join(carried_variables(), ","))};
  return command;
}

static Command mpirun_command(const Launcher& launcher, int ranks, const Reception& reception) {
  Command command = polite_launcher(launcher, reception);
  // Bound by the launcher, a rank would see a smaller machine than the one the run is about; ranks
  // divide its cores themselves.
  command.arguments = {"-n", std::to_string(ranks), "--bind-to", "none"};
  // Open MPI refuses root and more ranks than cores unless told; on a small machine ranks share
  // cores.
  const auto set = [&](const char* name, const char* value) {
    command.environment.emplace_back(name, value);
  };
  set("OMPI_ALLOW_RUN_AS_ROOT", "1");
  set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  set("OMPI_MCA_rmaps_base_oversubscribe", "1");
  std::error_code none;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(none);
  if (!may_leave_host(launcher)) {
    give_scratch(command, "OMPI_MCA_orte_tmpdir_base", temporary);
    give_scratch(command, "OMPI_MCA_btl_vader_backing_directory", "/dev/shm");
    return command;
  }
  // Its own setting for this host alone makes Open MPI's ranks fail. What Slurm starts for it on
  // other hosts would have TMPDIR, too.
  if (!launcher.hosts.empty()) give_scratch(command, "TMPDIR", temporary);
  // On a host that is lost, what Open MPI runs there notices after 25 s in place of 8 minutes, and
  // ends its ranks.
  set("OMPI_MCA_oob_tcp_keepalive_time", "10");
  set("OMPI_MCA_oob_tcp_keepalive_intvl", "5");
  set("OMPI_MCA_oob_tcp_keepalive_probes", "3");
  // By which ranks of other hosts are asked whether they are there.
  command.arguments.insert(command.arguments.end(), {"--stdin", "all"});
  for (const std::string& name : carried_variables())
    command.arguments.insert(command.arguments.end(), {"-x", name});
  if (!launcher.hosts.empty())
    command.arguments.insert(command.arguments.end(),
                             {"--hostfile", std::filesystem::absolute(launcher.hosts).string()});
  return command;
}

Command launch_command(const Launcher& launcher, int ranks, const std::filesystem::path& worker,
                       const Reception& reception) {
  check(launcher);
  Command command = launcher.program == "srun" ? srun_command(launcher, ranks, reception)
                                               : mpirun_command(launcher, ranks, reception);
  command.arguments.insert(
      command.arguments.end(),
      {worker.string(), "--worker", "--connect", fmt::format("127.0.0.1:{}", reception.port())});
  return command;
}

}  // namespace ridgeline::process
