// Lets the file that SEEMS_PIPE names seem to be a pipe where it is looked at by its name, as one that somebody replaces then.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int stat(const char *path, struct stat *about) {
  const char *name = getenv("SEEMS_PIPE");
  int result = fstatat(AT_FDCWD, path, about, 0);
  if (result == 0 && name && strcmp(path, name) == 0)
    about->st_mode = (about->st_mode & ~(mode_t)S_IFMT) | S_IFIFO;
  return result;
}
