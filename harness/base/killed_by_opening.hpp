#pragma once

#include <string>

namespace ridgeline {

/// The fault by which the shared library `name`, found as dlopen finds it, kills a program that
/// opens it: "SIGBUS (Bus error)" of a file that was copied in part. Empty where it opens, where
/// dlopen says in words why it does not, and where nobody knows: a signal from outside, or nothing
/// for `patience_s` seconds of wall time, is not the library's fault. A child process opens it, so
/// that this one lives on.
std::string killed_by_opening(const char* name, unsigned patience_s = 60);

}  // namespace ridgeline
