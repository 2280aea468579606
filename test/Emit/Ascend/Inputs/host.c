/* Calls what --mlir-to-ascend-host wrote: host N, with N elements. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int tile_host_scale(void **arguments, void *stream, char *error, size_t room);

typedef struct {
  void *allocated, *aligned;
  int64_t offset, size, stride;
} Vector;

int main(int argc, char **argv) {
  int64_t n = argc > 1 ? atoll(argv[1]) : 0;
  float factor = 2.5f;
  char error[1000] = "";
  Vector x = {NULL, "x", 0, n, 1}, y = {NULL, "y", 0, n, 1};
  Vector *px = &x, *py = &y;
  void *arguments[] = {&px, &py, &factor};
  int failed = tile_host_scale(arguments, "stream", error, sizeof(error));
  printf("%d %s\n", failed, error);
  return 0;
}
