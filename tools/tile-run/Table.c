// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { kErrorWidth = 11, kTimeWidth = 9, kRateWidth = 8 };

static int maxInt(int a, int b) { return a > b ? a : b; }

/// Writes a tolerance as it is applied: "1e-03 + 2e-03 |x|".
static void formatTolerance(const TileRunCase *c, char buffer[48]) {
  bool file = false;
  for (int32_t i = 0; i < c->function->parameterCount; ++i)
    file |= c->arguments[i].expected.data != NULL;
  if (!c->reference && !file)
    strcpy(buffer, "-");
  else if (c->atol > 0 && c->rtol > 0)
    snprintf(buffer, 48, "%.1e + %.1e |x|", c->atol, c->rtol);
  else if (c->rtol > 0)
    snprintf(buffer, 48, "%.1e |x|", c->rtol);
  else if (c->atol > 0)
    snprintf(buffer, 48, "%.1e", c->atol);
  else
    strcpy(buffer, "equal");
}

/// Three digits and a unit.
static void formatTime(double seconds, char buffer[24]) {
  static const char *const units[] = {"s", "ms", "us", "ns"};
  int unit = 0;
  while (unit < 3 && seconds < 0.9995) {
    seconds *= 1000;
    ++unit;
  }
  snprintf(buffer, 24, "%.*f %s",
           seconds < 9.995   ? 2
           : seconds < 99.95 ? 1
                             : 0,
           seconds, units[unit]);
}

/// The error in the unit of the tolerance: of relative size if there is only a
/// relative one.
static void formatError(const TileRunCase *c, const TileRunOutcome *outcome,
                        char buffer[32]) {
  bool relative = c->atol == 0 && c->rtol > 0;
  double error = relative ? outcome->maxRelative : outcome->maxAbsolute;
  if (!outcome->checked)
    strcpy(buffer, "-");
  else if (error == 0)
    strcpy(buffer, "0");
  else
    snprintf(buffer, 32, "%.1e%s", error, relative ? " |x|" : "");
}

/// A string of JSON; what needs an escape is a question mark.
static void printString(const char *text) {
  putchar('"');
  for (; *text; ++text)
    putchar((unsigned char)*text < ' ' || strchr("\"\\", *text) ? '?' : *text);
  putchar('"');
}

/// JSON has neither infinities nor NaN.
static void printNumber(const char *key, double value) {
  if (isfinite(value))
    printf(", \"%s\": %.6e", key, value);
  else
    printf(", \"%s\": null", key);
}

static void printObject(const TileRunCase *c, const TileRunOutcome *outcome) {
  printf("{\"function\": ");
  printString(c->function->name);
  printf(", \"case\": ");
  printString(c->label);
  printf(", \"passed\": %s, \"checked\": %s",
         outcome->passed ? "true" : "false",
         outcome->checked ? "true" : "false");
  if (outcome->ran)
    printf(", \"seconds\": %.6e, \"minimum\": %.6e", outcome->seconds,
           outcome->minimum);
  if (outcome->ran && outcome->work.bound > 0)
    printf(", \"operations\": %.0f, \"bytes\": %.0f, \"bound\": %.6e",
           outcome->work.operations, outcome->work.bytes, outcome->work.bound);
  if (outcome->checked)
    printNumber("max_error", outcome->maxAbsolute);
  if (!outcome->passed) {
    printf(", \"message\": ");
    printString(outcome->message.message);
  }
  puts("}");
}

void tile_run_table_begin(TileRunTable *table, const TileRunCaseList *cases,
                          bool timed, bool rated, bool json) {
  *table = (TileRunTable){.kernelWidth = 6,
                          .caseWidth = 4,
                          .toleranceWidth = 9,
                          .timed = timed,
                          .rated = rated,
                          .json = json};
  if (json)
    return;
  for (int32_t i = 0; i < cases->count; ++i) {
    const TileRunCase *c = &cases->items[i];
    char tolerance[48];
    formatTolerance(c, tolerance);
    table->kernelWidth =
        maxInt(table->kernelWidth, (int)strlen(c->function->name));
    table->caseWidth = maxInt(table->caseWidth, (int)strlen(c->label));
    table->toleranceWidth =
        maxInt(table->toleranceWidth, (int)strlen(tolerance));
  }
  printf("%-*s  %-*s  %-*s  %-*s  %*s", table->kernelWidth, "kernel",
         table->caseWidth, "case", kErrorWidth, "max error",
         table->toleranceWidth, "tolerance", kTimeWidth, "time");
  if (timed)
    printf("  %*s", kTimeWidth, "min");
  if (table->rated)
    printf("  %*s  %*s  %*s", kRateWidth, "Gop/s", kRateWidth, "GB/s",
           kRateWidth, "of bound");
  putchar('\n');
}

/// What the median comes to: operations and bytes of memory, and the part of
/// what the chip's rates allow.
static void printRates(const TileRunOutcome *outcome) {
  const TileRunWork *work = &outcome->work;
  if (!outcome->ran || work->bound <= 0 || outcome->seconds <= 0) {
    printf("  %*s  %*s  %*s", kRateWidth, "-", kRateWidth, "-", kRateWidth,
           "-");
    return;
  }
  printf("  %*.4g  %*.4g  %*.2f", kRateWidth,
         work->operations / outcome->seconds * 1e-9, kRateWidth,
         work->bytes / outcome->seconds * 1e-9, kRateWidth,
         work->bound / outcome->seconds);
}

static void printRow(const TileRunTable *table, const TileRunCase *c,
                     const TileRunOutcome *outcome) {
  char error[32], tolerance[48], time[24] = "-", minimum[24] = "-";
  formatError(c, outcome, error);
  formatTolerance(c, tolerance);
  if (outcome->ran) {
    formatTime(outcome->seconds, time);
    formatTime(outcome->minimum, minimum);
  }
  printf("%-*s  %-*s  %-*s  %-*s  %*s", table->kernelWidth, c->function->name,
         table->caseWidth, c->label, kErrorWidth, error, table->toleranceWidth,
         tolerance, kTimeWidth, time);
  if (table->timed)
    printf("  %*s", kTimeWidth, minimum);
  if (table->rated)
    printRates(outcome);
  if (!outcome->passed)
    printf("  FAIL: %s", outcome->message.message);
  putchar('\n');
}

void tile_run_table_row(TileRunTable *table, const TileRunCase *c,
                        const TileRunOutcome *outcome) {
  if (table->json)
    printObject(c, outcome);
  else
    printRow(table, c, outcome);
  fflush(stdout);
  if (!outcome->passed)
    ++table->failed;
  else if (outcome->checked)
    ++table->passed;
  else
    ++table->unchecked;
}

void tile_run_table_end(const TileRunTable *table) {
  if (table->json)
    return;
  printf("%d passed, %d failed", table->passed, table->failed);
  if (table->unchecked > 0)
    printf(", %d not checked", table->unchecked);
  putchar('\n');
}
