// All bytes, as two elements of 4 bits each, become what their codes mean, in both formats of 16 bits.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: sed -E 's/xbf16/xf16/g; s/to bf16/to f16/' %s > %t.mlir
// RUN: tile-run %t.mlir --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a --canonicalize | FileCheck %s --check-prefix=IR
// CHECK: {{^}}1 passed, 0 failed{{$}}
// IR: arith.extf %{{.*}} : vector<{{8|16|32}}xf4E2M1FN>

!out = memref<4x128xbf16>
func.func @codes(%c: !out {tile.result}) attributes {tile.reference = @reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%x) in (1) threads(32) {
    %bytes = tile.alloc : memref<4x64xi8, #tile.shared>
    %wide = tile.alloc : memref<4x128xbf16, #tile.fragment>
    tile.parallel (%i, %j) in (4, 64) {
      %n = affine.apply affine_map<(i, j) -> (i * 64 + j)>(%i, %j)
      %byte = arith.index_cast %n : index to i8
      memref.store %byte, %bytes[%i, %j] : memref<4x64xi8, #tile.shared>
    }
    %codes = tile.view %bytes : memref<4x64xi8, #tile.shared> to memref<4x128xf4E2M1FN, #tile.shared>
    tile.copy %codes, %wide : memref<4x128xf4E2M1FN, #tile.shared>, memref<4x128xbf16, #tile.fragment>
    tile.copy %wide, %c : memref<4x128xbf16, #tile.fragment>, !out
  }
  return
}
func.func @reference(%c: !out) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 128 {
      %n = affine.apply affine_map<(i, j) -> (i * 64 + j floordiv 2)>(%i, %j)
      %upper = affine.apply affine_map<(i, j) -> ((i * 64 + j floordiv 2) floordiv 16)>(%i, %j)
      %two = arith.constant 2 : index
      %odd = arith.remui %j, %two : index
      %is_odd = arith.index_cast %odd : index to i1
      %number = arith.select %is_odd, %upper, %n : index
      %byte = arith.index_cast %number : index to i8
      %half = arith.trunci %byte : i8 to i4
      %code = arith.bitcast %half : i4 to f4E2M1FN
      %wide = arith.extf %code : f4E2M1FN to f32
      %v = arith.truncf %wide : f32 to bf16
      affine.store %v, %c[%i, %j] : !out
    }
  }
  return
}
