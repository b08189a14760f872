/* Loaded before a program (LD_PRELOAD), makes its n-th call that writes below a folder fail.
 *
 * RIDGELINE_FAULTS_FOLDER is the folder, without links; RIDGELINE_FAULTS_CALLS a file of five
 * 64-bit numbers that all processes of a trial share: calls so far, the first call that fails, the
 * last one, errno, and how many have failed. Where more than one call fails, the first that writes
 * bytes writes half of them, as a disk does that becomes full. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct shared {
  int64_t calls, first, last, error, failed;
};

static struct shared* shared;
static const char* folder;
static size_t folder_length;

/* Asked by the first call, since constructors of libraries and programs may write. */
static int ready(void) {
  static int asked;
  if (asked) return shared != NULL;
  asked = 1;
  const char* calls = getenv("RIDGELINE_FAULTS_CALLS");
  folder = getenv("RIDGELINE_FAULTS_FOLDER");
  if (calls == NULL || folder == NULL) return 0;
  folder_length = strlen(folder);
  int (*open_file)(const char*, int, ...) = dlsym(RTLD_NEXT, "open");
  const int file = open_file(calls, O_RDWR | O_CLOEXEC);
  if (file < 0) return 0;
  void* memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) shared = memory;
  return shared != NULL;
}

static int below(const char* path) {
  if (!ready()) return 0;
  char whole[PATH_MAX];
  if (path[0] != '/') {
    if (getcwd(whole, sizeof whole) == NULL) return 0;
    const size_t length = strlen(whole);
    if (length + strlen(path) + 2 > sizeof whole) return 0;
    whole[length] = '/';
    strcpy(whole + length + 1, path);
    path = whole;
  }
  return strncmp(path, folder, folder_length) == 0;
}

static int file_below(int file) {
  if (!ready()) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  return below(path);
}

/* Whether this call fails; its number goes to `number`. */
static int counted(int64_t* number) {
  *number = __atomic_add_fetch(&shared->calls, 1, __ATOMIC_SEQ_CST);
  if (*number < shared->first || *number > shared->last) return 0;
  __atomic_add_fetch(&shared->failed, 1, __ATOMIC_SEQ_CST);
  errno = (int)shared->error;
  return 1;
}

static int fails(int is_below) {
  int64_t number;
  return is_below && counted(&number);
}

/* Bytes to write in place of `size`; -1 where the call fails. */
static ssize_t allowed(int file, size_t size) {
  int64_t number;
  if (!file_below(file) || !counted(&number)) return (ssize_t)size;
  const int becomes_full = shared->last > shared->first && number == shared->first;
  return becomes_full && size > 1 ? (ssize_t)(size / 2) : -1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void* data, size_t size) {
  const ssize_t most = allowed(file, size);
  return most < 0 ? -1 : NEXT(write)(file, data, (size_t)most);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t at) {
  const ssize_t most = allowed(file, size);
  return most < 0 ? -1 : NEXT(pwrite)(file, data, (size_t)most, at);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
  const ssize_t most = allowed(file, size);
  return most < 0 ? -1 : NEXT(pwrite64)(file, data, (size_t)most, at);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  return fails(file_below(file)) ? -1 : NEXT(writev)(file, parts, count);
}

int fsync(int file) { return fails(file_below(file)) ? -1 : NEXT(fsync)(file); }
int fdatasync(int file) { return fails(file_below(file)) ? -1 : NEXT(fdatasync)(file); }
int ftruncate(int file, off_t size) {
  return fails(file_below(file)) ? -1 : NEXT(ftruncate)(file, size);
}
int ftruncate64(int file, off64_t size) {
  return fails(file_below(file)) ? -1 : NEXT(ftruncate64)(file, size);
}
int posix_fallocate(int file, off_t at, off_t size) {
  return fails(file_below(file)) ? (int)shared->error : NEXT(posix_fallocate)(file, at, size);
}
int posix_fallocate64(int file, off64_t at, off64_t size) {
  return fails(file_below(file)) ? (int)shared->error : NEXT(posix_fallocate64)(file, at, size);
}

/* O_TMPFILE has the bit of O_DIRECTORY in it. */
static int makes(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

#define MODE(flags)                              \
  mode_t mode = 0;                               \
  if (makes(flags)) {                            \
    va_list rest;                                \
    va_start(rest, flags);                       \
    mode = (mode_t)va_arg(rest, unsigned);       \
    va_end(rest);                                \
  }

int open(const char* path, int flags, ...) {
  MODE(flags)
  return makes(flags) && fails(below(path)) ? -1 : NEXT(open)(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  MODE(flags)
  return makes(flags) && fails(below(path)) ? -1 : NEXT(open64)(path, flags, mode);
}

int openat(int at, const char* path, int flags, ...) {
  MODE(flags)
  return makes(flags) && path[0] == '/' && fails(below(path)) ? -1
                                                              : NEXT(openat)(at, path, flags, mode);
}

int openat64(int at, const char* path, int flags, ...) {
  MODE(flags)
  return makes(flags) && path[0] == '/' && fails(below(path))
             ? -1
             : NEXT(openat64)(at, path, flags, mode);
}

FILE* fopen(const char* path, const char* how) {
  return how[0] != 'r' && fails(below(path)) ? NULL : NEXT(fopen)(path, how);
}
FILE* fopen64(const char* path, const char* how) {
  return how[0] != 'r' && fails(below(path)) ? NULL : NEXT(fopen64)(path, how);
}

int mkostemp(char* path, int flags) {
  return fails(below(path)) ? -1 : NEXT(mkostemp)(path, flags);
}
int mkostemp64(char* path, int flags) {
  return fails(below(path)) ? -1 : NEXT(mkostemp64)(path, flags);
}
char* mkdtemp(char* path) { return fails(below(path)) ? NULL : NEXT(mkdtemp)(path); }
int mkdir(const char* path, mode_t mode) {
  return fails(below(path)) ? -1 : NEXT(mkdir)(path, mode);
}
int rename(const char* from, const char* to) {
  return fails(below(to)) ? -1 : NEXT(rename)(from, to);
}
int symlink(const char* to, const char* path) {
  return fails(below(path)) ? -1 : NEXT(symlink)(to, path);
}
int link(const char* from, const char* to) {
  return fails(below(to)) ? -1 : NEXT(link)(from, to);
}
