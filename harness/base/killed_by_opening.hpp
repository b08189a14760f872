#pragma once

#include <string>

namespace ridgeline {

/// What kills a program that opens the shared library `name`, found as dlopen finds it: "SIGBUS
/// (Bus error)" of a file that was copied in part. Empty where it opens, and where dlopen says in
/// words why it does not. A child process opens it, so that this one lives on; one that has not
/// opened it within ten seconds is killed, too.
std::string killed_by_opening(const char* name);

}  // namespace ridgeline
