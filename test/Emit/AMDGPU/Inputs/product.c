/* Loops of 0 to 4 steps; the last one reads past the end of K. */
#include "lanes.h"

void product_0(uint16_t *a, uint16_t *b, float *c, int64_t steps);

enum { M = 128, N = 64, K = 96 };
static uint16_t a[M * K], b[N * K];
static float c[M * N];
static int64_t steps;

static void body(void) { product_0(a, b, c, steps); }

int main(void) {
  for (int i = 0; i < M * K; ++i)
    a[i] = toF16(smallNumber(i));
  for (int i = 0; i < N * K; ++i)
    b[i] = toF16(smallNumber(i + 3));
  for (steps = 0; steps <= 4; ++steps) {
    for (int i = 0; i < M * N; ++i)
      c[i] = -1;
    launch(body, 2, 1, 256);
    int depth = steps * 32 < K ? (int)steps * 32 : K;
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        double sum = 0;
        for (int k = 0; k < depth; ++k)
          sum += fromF16(a[i * K + k]) * fromF16(b[j * K + k]);
        expectEqual("c", i * N + j, c[i * N + j], sum);
      }
  }
  puts("ok");
  return 0;
}
