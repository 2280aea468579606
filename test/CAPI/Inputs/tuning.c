/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Estimates a kernel, and takes the parameters of a record; then calls both
 * wrongly. tuning.test holds what is expected.
 *
 * usage: tuning SOURCE RECORD
 */
#include "Tile-c/Tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static TileRtError error;

static void refuse(const char *what, int result) {
  printf("%s: %s\n", what, result ? "accepted" : error.message);
  error.message[0] = 0;
}

int main(int argc, char **argv) {
  static char text[1 << 16];
  FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
  size_t size = file ? fread(text, 1, sizeof(text), file) : 0;
  TileCompiler *compiler = tileCompilerCreate(TILE_C_API_VERSION, &error);
  TileCompilerModule *module =
      tileCompilerModuleParse(compiler, text, size, "scale.mlir", &error);
  double seconds = 0;
  char *json = NULL;
  if (!tileCompilerModuleEstimate(compiler, module, "sm_90a", "N=1000000",
                                  &seconds, &json, &error)) {
    printf("%s\n", error.message);
    return 1;
  }
  printf("seconds: %d, blocks: %d\n", seconds > 1e-6 && seconds < 1e-3,
         strstr(json, "\"blocks\": 15625") != NULL);
  free(json);
  refuse("no json", tileCompilerModuleEstimate(compiler, module, "sm_90a", NULL,
                                               NULL, NULL, &error));
  refuse("chip", tileCompilerModuleEstimate(compiler, module, "sm_1", NULL,
                                            &seconds, NULL, &error));
  refuse("size", tileCompilerModuleEstimate(compiler, module, "sm_90a", "M=1",
                                            &seconds, NULL, &error));
  refuse("no module", tileCompilerModuleEstimate(compiler, NULL, "sm_90a", NULL,
                                                 &seconds, NULL, &error));

  TileCompilerModule *tuned = tileCompilerModuleTune(
      compiler, module, argv[2], "avx512", "scale", "N=7", &error);
  size_t bytes = 0;
  const char *code = tuned ? tileCompilerModuleGetBytecode(tuned, &bytes, &error)
                           : NULL;
  printf("tuned: %d\n", code && bytes > 0);
  /* With 32 in a block instead of 64 there are more of them. */
  if (tuned && tileCompilerModuleEstimate(compiler, tuned, "avx512", "N=640",
                                          NULL, &json, &error)) {
    printf("blocks: %d\n", strstr(json, "\"blocks\": 20") != NULL);
    free(json);
  }
  refuse("record", tileCompilerModuleTune(compiler, module, "none", "avx512",
                                          "scale", "N=7", &error) != NULL);
  refuse("function", tileCompilerModuleTune(compiler, module, argv[2], "avx512",
                                            "other", "N=7", &error) != NULL);
  refuse("null", tileCompilerModuleTune(compiler, module, NULL, "avx512",
                                        "scale", "N=7", &error) != NULL);
  if (tuned)
    tileCompilerModuleDestroy(tuned, &error);
  tileCompilerModuleDestroy(module, &error);
  tileCompilerDestroy(compiler, &error);
  return 0;
}
