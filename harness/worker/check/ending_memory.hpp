#pragma once

namespace ridgeline::worker {

/// For what tells of a program's end, which may be within malloc(): with its locks held, or with a
/// heap that the program has overwritten. From now on what the calling thread allocates comes from
/// memory that nothing else uses, and what it frees stays. Other threads go on as before.
/// Only one thread of a process may call it. Safe to call in a handler of signals.
void leave_the_heap();

}  // namespace ridgeline::worker
