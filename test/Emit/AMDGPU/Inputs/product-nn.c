#include "lanes.h"

#include <string.h>

void product_0(uint16_t *a, uint16_t *b, float *c);

enum { M = 64, N = 128, K = 64 };
static uint16_t a[M * K], b[K * N];
static float c[M * N];

static void body(void) { product_0(a, b, c); }

/* Small numbers have the same upper half as f32. */
static uint16_t toBF16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return (uint16_t)(bits >> 16);
}

int main(void) {
  for (int i = 0; i < M * K; ++i)
    a[i] = toBF16(smallNumber(i));
  for (int i = 0; i < K * N; ++i)
    b[i] = toBF16(smallNumber(i + 5));
  launch(body, 1, 1, 256);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += (double)smallNumber(i * K + k) * smallNumber(k * N + j + 5);
      expectEqual("c", i * N + j, c[i * N + j], sum);
    }
  puts("ok");
  return 0;
}
