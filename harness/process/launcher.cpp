#include "harness/process/launcher.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/base/error.hpp"
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

Command launch_command(const std::string& launcher, int ranks, const std::filesystem::path& worker,
                       const Reception& reception) {
  if (launcher != "mpirun")
    throw Error(ErrorKind::dependency, fmt::format("{} asks for the launcher {}, which is unknown",
                                                   worker.filename().string(), launcher));
  const std::filesystem::path program = find_on_path(launcher);
  if (program.empty())
    throw Error(ErrorKind::dependency, fmt::format("{} not found", launcher),
                "install Open MPI (openmpi-bin)");
  Command command;
  command.program = program;
  // Bound by the launcher, a rank would see a smaller machine than the one the run is about; ranks
  // divide its cores themselves.
  command.arguments = {"-n",
                       std::to_string(ranks),
                       "--bind-to",
                       "none",
                       worker.string(),
                       "--worker",
                       "--connect",
                       fmt::format("127.0.0.1:{}", reception.port())};
  // Open MPI refuses root and more ranks than cores unless told; on a small machine ranks share
  // cores.
  command.environment = {{protocol::token_variable, reception.token()},
                         {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                         {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                         {"OMPI_MCA_rmaps_base_oversubscribe", "1"}};
  command.output_to_errors = true;
  command.polite_ms = 2000;  // mpirun kills its ranks within a second
  std::error_code none;
  give_scratch(command, "OMPI_MCA_orte_tmpdir_base", std::filesystem::temp_directory_path(none));
  give_scratch(command, "OMPI_MCA_btl_vader_backing_directory", "/dev/shm");
  return command;
}

}  // namespace ridgeline::process
