/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loaded before the C library (LD_PRELOAD): of the calls that make a file, a
 * folder or a process, or write, call number FAIL_AT fails, and the file
 * FAIL_FIRED says which it was. Programs that the process starts do not load
 * it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long remaining;
static char fired[512];

__attribute__((constructor)) static void start(void) {
  const char *at = getenv("FAIL_AT"), *file = getenv("FAIL_FIRED");
  if (file)
    strncpy(fired, file, sizeof(fired) - 1);
  atomic_store(&remaining, at ? atol(at) : 0);
  unsetenv("LD_PRELOAD");
}

static int fails(const char *what, int reason) {
  if (atomic_fetch_sub(&remaining, 1) != 1)
    return 0;
  long file = syscall(SYS_openat, AT_FDCWD, fired,
                      O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0 || syscall(SYS_write, file, what, strlen(what)) < 0)
    abort();
  syscall(SYS_close, file);
  errno = reason;
  return 1;
}

/* The function that this one stands before. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static mode_t modeOf(int flags, va_list rest) {
  return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define OPEN(name)                                                             \
  int name(const char *path, int flags, ...) {                                 \
    va_list rest;                                                              \
    va_start(rest, flags);                                                     \
    mode_t mode = modeOf(flags, rest);                                         \
    va_end(rest);                                                              \
    return flags & O_CREAT && fails(#name, EMFILE)                             \
               ? -1                                                            \
               : NEXT(name)(path, flags, mode);                                \
  }
#define OPENAT(name)                                                           \
  int name(int at, const char *path, int flags, ...) {                         \
    va_list rest;                                                              \
    va_start(rest, flags);                                                     \
    mode_t mode = modeOf(flags, rest);                                         \
    va_end(rest);                                                              \
    return flags & O_CREAT && fails(#name, EMFILE)                             \
               ? -1                                                            \
               : NEXT(name)(at, path, flags, mode);                            \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *bytes, size_t size) {
  /* What an error says is not what is tested. */
  return file != STDERR_FILENO && fails("write", ENOSPC)
             ? -1
             : NEXT(write)(file, bytes, size);
}
int rename(const char *from, const char *to) {
  return fails("rename", EIO) ? -1 : NEXT(rename)(from, to);
}
int mkdir(const char *path, mode_t mode) {
  return fails("mkdir", ENOSPC) ? -1 : NEXT(mkdir)(path, mode);
}
char *mkdtemp(char *name) {
  return fails("mkdtemp", ENOSPC) ? NULL : NEXT(mkdtemp)(name);
}
pid_t fork(void) { return fails("fork", EAGAIN) ? -1 : NEXT(fork)(); }
int posix_spawn(pid_t *process, const char *path,
                const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const *arguments,
                char *const *environment) {
  return fails("posix_spawn", EAGAIN)
             ? EAGAIN
             : NEXT(posix_spawn)(process, path, actions, attributes, arguments,
                                 environment);
}
