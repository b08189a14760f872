#include "harness/worker/check/ending_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <malloc.h>
#include <sys/mman.h>

// A program may define malloc(), free(), calloc() and realloc() for itself and for its shared
// libraries ("Replacing malloc" in the manual of the GNU C Library); these hand on to the
// library's, by the names under which it exports them. They are weak: an allocator in the program's
// own sources it keeps. One in a shared library would meet these, so `ridgeline check` preloads
// none (harness/cli/checked_environment.hpp).
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
void* __libc_malloc(std::size_t bytes);
void __libc_free(void* at);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* at, std::size_t bytes);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace ridgeline::worker {
namespace {

constexpr std::size_t pool_bytes = std::size_t{256} << 20;  // pages that are not touched cost
                                                            // nothing
constexpr std::size_t head_bytes = 16;                      // before each, for its size

thread_local constinit bool has_left = false;
std::byte* pool = nullptr;
std::size_t taken_bytes = 0;

void* take(std::size_t bytes) {
  const std::size_t whole = (bytes + 15) / 16 * 16;
  if (pool == nullptr || whole < bytes || whole > pool_bytes - taken_bytes - head_bytes) {
    errno = ENOMEM;
    return nullptr;
  }
  std::byte* const head = pool + taken_bytes;
  taken_bytes += head_bytes + whole;
  std::memcpy(head, &bytes, sizeof bytes);
  return head + head_bytes;
}

bool is_of_pool(const void* at) { return pool != nullptr && at >= pool && at < pool + pool_bytes; }

std::size_t bytes_at(void* at) {
  if (!is_of_pool(at)) return ::malloc_usable_size(at);
  std::size_t bytes = 0;
  std::memcpy(&bytes, static_cast<std::byte*>(at) - head_bytes, sizeof bytes);
  return bytes;
}

void* take_again(void* at, std::size_t bytes) {
  void* const anew = take(bytes);
  if (anew != nullptr && at != nullptr) std::memcpy(anew, at, std::min(bytes, bytes_at(at)));
  return anew;
}

}  // namespace

void leave_the_heap() {
  void* const mapped = ::mmap(nullptr, pool_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return;
  pool = static_cast<std::byte*>(mapped);
  has_left = true;
}

}  // namespace ridgeline::worker

using ridgeline::worker::has_left;
using ridgeline::worker::is_of_pool;
using ridgeline::worker::take;
using ridgeline::worker::take_again;

extern "C" {

[[gnu::weak]] void* malloc(std::size_t bytes) noexcept {
  return has_left ? take(bytes) : __libc_malloc(bytes);
}

[[gnu::weak]] void free(void* at) noexcept {
  if (!has_left && !is_of_pool(at)) __libc_free(at);
}

[[gnu::weak]] void* calloc(std::size_t count, std::size_t bytes) noexcept {
  if (!has_left) return __libc_calloc(count, bytes);
  std::size_t all = 0;  // pages of the pool are zero until they are taken
  return __builtin_mul_overflow(count, bytes, &all) ? nullptr : take(all);
}

[[gnu::weak]] void* realloc(void* at, std::size_t bytes) noexcept {
  return has_left ? take_again(at, bytes) : __libc_realloc(at, bytes);
}
}
