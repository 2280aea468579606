// Stock mlir-opt with the dialect and the passes of the plugin.

// RUN: mlir-opt --load-dialect-plugin=%tile_obj/lib/TilePlugin.so %s | FileCheck %s
// CHECK: tile.kernel (%{{.*}}) in (4) threads(32)
// CHECK: tile.parallel

// RUN: mlir-opt --load-dialect-plugin=%tile_obj/lib/TilePlugin.so --load-pass-plugin=%tile_obj/lib/TilePlugin.so %s \
// RUN:   --pass-pipeline='builtin.module(tile-set-target{chip=x86-64-v3},tile-verify-semantics,tile-legalize-accesses,convert-tile-to-cpu,tile-expand-math,canonicalize)' \
// RUN:   | FileCheck %s --check-prefix=LOOPS
// LOOPS-NOT: tile.
// LOOPS: scf.parallel

// RUN: mlir-opt --load-dialect-plugin=%tile_obj/lib/TilePlugin.so --load-pass-plugin=%tile_obj/lib/TilePlugin.so %s \
// RUN:   --pass-pipeline='builtin.module(tile-to-cpu-pipeline)' | %llvm_bin/mlir-translate --mlir-to-llvmir \
// RUN:   | FileCheck %s --check-prefix=LLVM
// LLVM: define void @_mlir_ciface_fill(ptr %0)

// The verifiers are there.
// RUN: not mlir-opt --load-dialect-plugin=%tile_obj/lib/TilePlugin.so %S/Inputs/invalid.mlir 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: invalid.mlir:5:7: error: 'tile.fill' op works on whole tiles and is not allowed in 'tile.parallel'

// No second copy of MLIR: neither defined nor linked.
// RUN: %llvm_bin/llvm-nm -D --defined-only %tile_obj/lib/TilePlugin.so | FileCheck %s --check-prefix=SYMBOLS --implicit-check-not={{[Cc]}}ontext
// SYMBOLS: mlirGetDialectPluginInfo
// SYMBOLS: mlirGetPassPluginInfo

func.func @fill(%x: memref<128xf32>) {
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (4) threads(32) {
    tile.parallel (%i) in (32) {
      %p = affine.apply affine_map<(b, i) -> (b * 32 + i)>(%b, %i)
      memref.store %one, %x[%p] : memref<128xf32>
    }
  }
  return
}
