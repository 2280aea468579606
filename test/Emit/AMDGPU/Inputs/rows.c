#include "lanes.h"

void rows_0(float *x, float *sums, float *maxima);

enum { ROWS = 40, COLUMNS = 50 };
static float x[ROWS * COLUMNS], sums[ROWS], maxima[ROWS];

static void body(void) { rows_0(x, sums, maxima); }

int main(void) {
  for (int i = 0; i < ROWS * COLUMNS; ++i)
    x[i] = (float)(smallNumber(i) * (i % 13));
  launch(body, 2, 1, 128);
  for (int i = 0; i < ROWS; ++i) {
    double sum = 0, largest = x[i * COLUMNS];
    for (int j = 0; j < COLUMNS; ++j) {
      double value = x[i * COLUMNS + j];
      sum += value;
      largest = value > largest ? value : largest;
    }
    expectEqual("sums", i, sums[i], sum);
    expectEqual("maxima", i, maxima[i], largest);
  }
  puts("ok");
  return 0;
}
