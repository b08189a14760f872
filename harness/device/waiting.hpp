#pragma once

#include <functional>

namespace ridgeline::device {

/// While this process waits for a GPU, `look` is called now and then. It throws when what is waited
/// for will never be done, after it has ended that; the wait is then over, too. One for the whole
/// process, since a process has one place among the ranks that could be waited for in vain; empty
/// for nothing.
void while_waiting(std::function<void()> look);

/// For backends: waits until `is_done`, and looks meanwhile. False, without having waited, when
/// there is nothing to look at, so that the backend can wait in its own way.
bool wait_looking(const std::function<bool()>& is_done);

}  // namespace ridgeline::device
