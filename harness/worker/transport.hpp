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

/// Has this process killed when its parent dies: nothing measures on when nobody listens.
void die_with_parent();

/// The transport that `--worker [--connect ADDRESS]` asks for: a connection to `address`
/// ("127.0.0.1:4711"), or where it is empty the standard streams. Throws Error when nobody answers
/// there. A listener that is gone becomes an error of send() instead of a signal.
std::unique_ptr<Transport> open_transport(const std::string& address);

}  // namespace ridgeline::worker
