#include <stdint.h>
#include <stdio.h>

/* What the compiled function expects of its caller. */
struct memref {
  float *allocated, *aligned;
  int64_t offset, size, stride;
};
void _mlir_ciface_double(struct memref *x);

/* The embedder's way to run a loop: here, one iteration after the other. */
void tile_rt_parallel_for(void (*body)(void *, int64_t, int64_t), void *context,
                          int64_t count, int64_t grain) {
  (void)grain;
  for (int64_t i = 0; i < count; ++i)
    body(context, i, i + 1);
}

int main(void) {
  float data[13];
  for (int i = 0; i < 13; ++i)
    data[i] = (float)i;
  struct memref x = {data, data, 0, 13, 1};
  _mlir_ciface_double(&x);
  for (int i = 0; i < 13; ++i)
    printf("%g%c", data[i], i < 12 ? ' ' : '\n');
  return 0;
}
