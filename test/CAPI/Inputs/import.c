// Tile-c/Import.h and Devices.h from C: usage: import PROGRAM.json REFUSED.json
#include "Tile-c/Devices.h"
#include "Tile-c/Import.h"

#include <stdio.h>
#include <string.h>

static char bytes[1 << 20];

static size_t readFile(const char *path) {
  FILE *file = fopen(path, "rb");
  size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
  if (file)
    fclose(file);
  return size;
}

static const char views[] =
    "func.func private @far(memref<8xf32>)\n"
    "func.func @write(%x: memref<8xf32>) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %f = arith.constant 0.0 : f32\n"
    "  memref.store %f, %x[%c0] : memref<8xf32>\n"
    "  return\n"
    "}\n"
    "func.func @views(%read: memref<8xf32>, %view: memref<8xf32>,\n"
    "                 %callee: memref<8xf32>, %unknown: memref<8xf32>) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %v = memref.load %read[%c0] : memref<8xf32>\n"
    "  %s = memref.subview %read[0] [4] [1] : memref<8xf32> to memref<4xf32>\n"
    "  %w = memref.load %s[%c0] : memref<4xf32>\n"
    "  %t = memref.subview %view[0] [4] [1] : memref<8xf32> to memref<4xf32>\n"
    "  memref.store %w, %t[%c0] : memref<4xf32>\n"
    "  func.call @write(%callee) : (memref<8xf32>) -> ()\n"
    "  func.call @far(%unknown) : (memref<8xf32>) -> ()\n"
    "  return\n"
    "}\n";

static TileRtError error;

static void expectFailure(const char *what, bool good) {
  printf("%s: %s\n", what, good ? "no error" : error.message);
}

static bool isWritten(TileCompilerModule *module, const char *function,
                      size_t argument) {
  bool written = false;
  if (!tileCompilerModuleIsArgumentWritten(module, function, argument, &written,
                                           &error))
    printf("%s\n", error.message);
  return written;
}

static void misuse(TileCompiler *compiler, TileCompilerModule *module,
                   const char *refused) {
  size_t size = readFile(refused);
  bool written;
  TileRtDevice *device;
  expectFailure("null", tileCompilerModuleImportTileLang(compiler, NULL, 0,
                                                         NULL, &error));
  expectFailure("json", tileCompilerModuleImportTileLang(compiler, "{", 1,
                                                         "gemm.json", &error));
  expectFailure("refused", tileCompilerModuleImportTileLang(
                               compiler, bytes, size, NULL, &error));
  expectFailure("text",
                tileCompilerModuleGetText(compiler, NULL, &size, &error));
  expectFailure("size",
                tileCompilerModuleGetText(compiler, module, NULL, &error));
  expectFailure("no function", tileCompilerModuleIsArgumentWritten(
                                   module, NULL, 0, &written, &error));
  expectFailure("function", tileCompilerModuleIsArgumentWritten(
                                module, "f", 0, &written, &error));
  expectFailure("argument", tileCompilerModuleIsArgumentWritten(
                                module, "gemm_relu", 3, &written, &error));
  printf("chip: %s\n", tileCompilerFindChip("cpu", "generic", &error));
  expectFailure("no target", tileCompilerFindChip(NULL, "x", &error));
  expectFailure("target", tileCompilerFindChip("tpu", "x", &error));
  expectFailure("unknown chip", tileCompilerFindChip("cpu", "z80", &error));
  expectFailure("no model", tileModelDeviceOpen("cuda", NULL, NULL, &error));
  expectFailure("model", tileModelDeviceOpen("cpu", NULL, &device, &error));
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  TileCompiler *compiler = tileCompilerCreate(TILE_C_API_VERSION, &error);
  size_t size = readFile(argv[1]);
  TileCompilerModule *module = tileCompilerModuleImportTileLang(
      compiler, bytes, size, "gemm.json", &error);
  const char *text =
      module ? tileCompilerModuleGetText(compiler, module, &size, &error)
             : NULL;
  if (!text || strlen(text) != size) {
    printf("%s\n", error.message);
    return 1;
  }
  printf("%s", text);
  printf("written: A %d, B %d, C %d\n", isWritten(module, "gemm_relu", 0),
         isWritten(module, "gemm_relu", 1), isWritten(module, "gemm_relu", 2));
  TileCompilerModule *other = tileCompilerModuleParse(
      compiler, views, strlen(views), "views.mlir", &error);
  printf("written: read %d, view %d, callee %d, unknown %d\n",
         isWritten(other, "views", 0), isWritten(other, "views", 1),
         isWritten(other, "views", 2), isWritten(other, "views", 3));
  misuse(compiler, module, argv[2]);
  tileCompilerModuleDestroy(other, NULL);
  tileCompilerModuleDestroy(module, NULL);
  tileCompilerDestroy(compiler, NULL);
  return 0;
}
