/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Cancels a compilation from its first remark, so always in the middle.
 *
 * usage: cancel FILE
 */
#include "Tile-c/Compiler.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct State {
  TileCompiler *compiler;
  int messages;
} State;

static void onDiagnostic(const TileCompilerDiagnostic *diagnostic, void *data) {
  State *state = data;
  if (diagnostic->severity == TILE_COMPILER_REMARK && *diagnostic->category)
    tileCompilerCancel(state->compiler, NULL);
  else
    ++state->messages;
}

static char *readFile(const char *path, size_t *size) {
  char *text = malloc(1 << 20);
  FILE *file = fopen(path, "rb");
  *size = text && file ? fread(text, 1, 1 << 20, file) : 0;
  if (file)
    fclose(file);
  return text;
}

int main(int argc, char **argv) {
  TileRtError error = {{0}};
  State state = {tileCompilerCreate(TILE_C_API_VERSION, &error), 0};
  size_t size = 0;
  char *text = readFile(argc > 1 ? argv[1] : "", &size);
  TileCompilerModule *module =
      tileCompilerModuleParse(state.compiler, text, size, "file", &error);
  free(text);
  if (!module ||
      !tileCompilerSetOption(state.compiler, "remarks", ".*", &error) ||
      !tileCompilerSetDiagnosticHandler(state.compiler, onDiagnostic, &state,
                                        &error)) {
    printf("%s\n", error.message);
    return 1;
  }
  TileCompilerArtifact *none =
      tileCompilerCompile(state.compiler, module, "cpu", &error);
  printf("cancelled: %s, %d other messages\n", none ? "no" : error.message,
         state.messages);
  tileCompilerSetDiagnosticHandler(state.compiler, NULL, NULL, NULL);
  TileCompilerArtifact *artifact =
      tileCompilerCompile(state.compiler, module, "cpu", &error);
  printf("afterwards: %zu kernels\n",
         tileCompilerArtifactGetKernelCount(artifact));
  tileCompilerArtifactDestroy(artifact, NULL);
  tileCompilerModuleDestroy(module, NULL);
  tileCompilerDestroy(state.compiler, NULL);
  return 0;
}
