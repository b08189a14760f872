#pragma once

#include "harness/base/error.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::present {

/// Runs `read`. A store Error of it goes to `left_out`: the rest can still be shown.
template <class Read>
void unless_unreadable(const store::LeftOut& left_out, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::store) throw;
    left_out(error);
  }
}

}  // namespace ridgeline::present
