// Regions that cannot begin before a buffer, since their offset is an extreme value or was unsigned.
//
// REQUIRES: tile-run, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=910B %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// CHECK: {{^}}6 passed, 0 failed{{$}}

// The blocks of a window, as those of attention.
func.func @window(%x: memref<?x64xf32> {tile.shape = "Mx64", tile.init = "integers(-9,9)"}, %w: index {tile.shape = "W"},
                  %y: memref<?x64xf32> {tile.shape = "Mx64", tile.result})
    attributes {tile.reference = @window_reference, tile.cases = ["M=100 W=20", "M=200 W=64", "M=70 W=500", "M=1 W=0"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 32)) threads(64) {
    %t = tile.alloc : memref<32x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = max(0, %b * 32 - %w) floordiv 32 to %b + 1 {
      tile.copy %x[%k * 32, 0], %t
      tile.parallel (%i, %j) in (32, 64) do %sum[%i, %j] = %sum[%i, %j] + %t[%i, %j]
    }
    tile.copy %sum, %y[%b * 32, 0]
  }
  return
}
func.func private @window_reference(%x: memref<?x64xf32>, %w: index, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %x, %c0 : memref<?x64xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 64 {
      affine.store %zero, %y[%i, %j] : memref<?x64xf32>
    }
    affine.for %k = 0 to affine_map<(i) -> (i floordiv 32 + 1)>(%i) {
      %begin = affine.apply affine_map<(i)[w] -> ((i floordiv 32) * 32 - w)>(%i)[%w]
      %first = arith.maxsi %begin, %c0 : index
      %block = affine.apply affine_map<(f) -> (f floordiv 32)>(%first)
      %in = arith.cmpi sge, %k, %block : index
      %row = affine.apply affine_map<(i, k) -> (k * 32 + i mod 32)>(%i, %k)
      %exists = arith.cmpi slt, %row, %m : index
      %both = arith.andi %in, %exists : i1
      scf.if %both {
        affine.for %j = 0 to 64 {
          %v = memref.load %x[%row, %j] : memref<?x64xf32>
          %s = memref.load %y[%i, %j] : memref<?x64xf32>
          %t = arith.addf %s, %v : f32
          memref.store %t, %y[%i, %j] : memref<?x64xf32>
        }
      }
    }
  }
  return
}

// Blocks of rows that a table names; what begins behind the end is not there.
func.func @table(%x: memref<?x64xf32> {tile.shape = "Mx64", tile.init = "integers(-9,9)"}, %p: memref<4xi32> {tile.init = "iota"},
                 %y: memref<128x64xf32> {tile.result}, %z: memref<128x64xf32> {tile.result})
    attributes {tile.reference = @table_reference, tile.cases = ["M=128", "M=70"]} {
  tile.kernel (%b) in (4) threads(64) {
    %t = tile.alloc : memref<32x64xf32, #tile.fragment>
    %u = tile.alloc : memref<32x64xf32, #tile.fragment>
    %v = memref.load %p[%b] : memref<4xi32>
    %signed = arith.index_cast %v : i32 to index
    %unsigned = arith.index_castui %v : i32 to index
    tile.copy %x[max(%signed, 0) * 32, 0], %t
    tile.copy %x[%unsigned * 32, 0], %u
    tile.copy %t, %y[%b * 32, 0]
    tile.copy %u, %z[%b * 32, 0]
  }
  return
}
func.func private @table_reference(%x: memref<?x64xf32>, %p: memref<4xi32>, %y: memref<128x64xf32>, %z: memref<128x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %x, %c0 : memref<?x64xf32>
  affine.for %i = 0 to 128 {
    %in = arith.cmpi slt, %i, %m : index
    affine.for %j = 0 to 64 {
      %v = scf.if %in -> (f32) {
        %e = memref.load %x[%i, %j] : memref<?x64xf32>
        scf.yield %e : f32
      } else {
        scf.yield %zero : f32
      }
      affine.store %v, %y[%i, %j] : memref<128x64xf32>
      affine.store %v, %z[%i, %j] : memref<128x64xf32>
    }
  }
  return
}
