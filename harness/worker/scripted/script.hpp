#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::worker::scripted {

/// How one program differs from the plain scripted worker: the command line of
/// `ridgeline-scripted-worker` beside a worker's own flags. Two sides of a gate differ by a shell
/// script around each.
struct Script {
  double slower = 0;                 // in percent: every time is longer by that
  std::vector<std::string> without;  // variants that are not listed
  std::filesystem::path state;  // counts, over all processes, how often each variant was prepared
  struct Acting {
    std::string as;        // another variant, whose behaviour it shows
    int from = 1, to = 0;  // in these preparations, counted from 1; to 0: in all of them
  };
  std::map<std::string, std::vector<Acting>> acting;            // by variant
  std::map<std::string, std::map<std::string, double>> counts;  // by variant: metrics, in place of
                                                                // what was counted
  bool knows_layout = true;  // as workers do since there are gates
  bool knows_code = true;    // foreign workers need not

  std::string shown;  // the variant whose behaviour the case that is prepared shows

  /// Called when a case of `variant` is about to be prepared: chooses `shown`, and counts.
  void prepare(const std::string& variant);
  /// Stands for the code that would be different: empty for a plain worker, "unknown" without
  /// knows_code.
  std::string code_hash() const;
};

/// Takes --slower PERCENT, --without VARIANT, --as VARIANT=VARIANT[@FROM[-TO]], --count
/// VARIANT:METRIC=VALUE, --state FILE, --no-layout and --no-code out of the arguments. Throws a
/// usage Error.
Script take_script(int& argc, char** argv);

}  // namespace ridgeline::worker::scripted
