/* kernels.so without kernels: the launchers say what they are given. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void scale_kernel_launch(uint32_t blocks, void *stream, const uint64_t *args) {
  float factor;
  memcpy(&factor, &args[4], sizeof(factor));
  printf("scale: %u blocks on %s, %s, workspace %d, %s, %d, %g\n", blocks,
         (const char *)stream, (const char *)(uintptr_t)args[0], args[1] != 0,
         (const char *)(uintptr_t)args[2], (int)args[3], (double)factor);
}

/* Writes element 2 of its buffer. */
void elements_kernel0_launch(uint32_t blocks, void *stream, const uint64_t *args) {
  float two = 2;
  memcpy((float *)(uintptr_t)args[0] + 2, &two, sizeof(two));
  printf("elements_0: %u blocks on %s\n", blocks, (const char *)stream);
}

void elements_kernel1_launch(uint32_t blocks, void *stream, const uint64_t *args) {
  printf("elements_1: %u blocks on %s, %d\n", blocks, (const char *)stream,
         (int)args[2]);
}
