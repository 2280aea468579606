/* Calls what --mlir-to-ascend-host wrote of elements.mlir. */
#include <stdint.h>
#include <stdio.h>

int tile_host_elements(void **arguments, void *stream, char *error, size_t room);

typedef struct {
  void *allocated, *aligned;
  int64_t offset, sizesAndStrides[4];
} Matrix;

int main(void) {
  int32_t x[8] = {0, 0, 0, 0, 0, 0, 3, 0};
  float y[8] = {0};
  char error[1000] = "";
  Matrix mx = {x, x, 0, {2, 4, 4, 1}}, my = {y, y, 0, {8, 1}};
  Matrix *px = &mx, *py = &my;
  void *arguments[] = {&px, &py};
  int failed = tile_host_elements(arguments, "stream", error, sizeof(error));
  printf("%d %s, y[1] = %g\n", failed, error, (double)y[1]);
  return 0;
}
