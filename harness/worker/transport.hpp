#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ridgeline::worker {

/// Where requests come from and answers go.
class Transport {
 public:
  virtual ~Transport() = default;
  /// The next line without its newline; absent at the end of the conversation.
  virtual std::optional<std::string> receive() = 0;
  /// Sends `line`, which ends with a newline.
  virtual void send(std::string_view line) = 0;
};

/// This process's stdin and stdout. They are taken away from everybody else: from now on fd 0 reads nothing and fd 1 is
/// stderr, so that a kernel's printf cannot break the protocol.
std::unique_ptr<Transport> take_standard_streams();

/// A connection to `address` ("127.0.0.1:4711"), on which `token` has been shown. Throws Error when nobody answers
/// there.
std::unique_ptr<Transport> connect_to(const std::string& address, const std::string& token);

/// Has this process killed when its parent dies: nothing measures on when nobody listens.
void die_with_parent();

/// The transport that `--worker [--connect ADDRESS]` asks for; an empty address means the standard streams. A listener
/// that is gone becomes an error of send() instead of a signal.
std::unique_ptr<Transport> open_transport(const std::string& address);

}  // namespace ridgeline::worker
