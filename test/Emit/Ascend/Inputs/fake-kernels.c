/* kernels.so without kernels: the launchers say what they are given. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void scale_kernel_launch(uint32_t blocks, void *stream, const uint64_t *args) {
  float factor;
  memcpy(&factor, &args[7], sizeof(factor));
  printf("scale: %u blocks on %s, %s %d, workspace %d %d, %s %d, %g\n", blocks,
         (const char *)stream, (const char *)(uintptr_t)args[0], (int)args[1],
         args[2] != 0, (int)args[3], (const char *)(uintptr_t)args[4],
         (int)args[5], (double)factor);
}
