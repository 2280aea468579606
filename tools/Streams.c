// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE 1
#include "Streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void tile_tool_reserve_streams(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    // With the other mode, reading and writing fail as they did.
    if (fcntl(stream, F_GETFD) < 0 &&
        open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      return;
}

bool tile_tool_end_output(const char *tool) {
  errno = 0;
  bool failed = ferror(stdout) != 0;
  failed |= fclose(stdout) != 0;
  if (failed)
    fprintf(stderr, "%s: cannot write to stdout%s%s\n", tool,
            errno ? ": " : "", errno ? strerror(errno) : "");
  return !failed;
}
