// Copies of whole views of 4-bit codes become loops over their bytes.
// RUN: tile-opt %s --ascend-unpack-codes | FileCheck %s
// RUN: tile-run %s --target=ascend | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s --check-prefix=RESULT

// RESULT: 3 passed, 0 failed

// CHECK-LABEL: func.func @unpack
// CHECK-NOT:     tile.view
// CHECK:         tile.parallel (%[[I:.*]], %[[J:.*]]) in (32, 32)
// CHECK:           %[[BYTE:.*]] = memref.load %[[BYTES:.*]][%[[I]], %[[J]]] : memref<32x32xi8, #tile.shared>
// CHECK:           %[[RAISED:.*]] = arith.shli %[[BYTE]], %[[FOUR:.*]] : i8
// CHECK:           %[[LOW:.*]] = arith.shrsi %[[RAISED]], %[[FOUR]] : i8
// CHECK:           %[[EVEN:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK:           %[[X:.*]] = arith.sitofp %[[LOW]] : i8 to f16
// CHECK:           memref.store %[[X]], %{{.*}}[%[[I]], %[[EVEN]]]
// CHECK:           %[[HIGH:.*]] = arith.shrsi %[[BYTE]], %[[FOUR]] : i8
// CHECK:           %[[ODD:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK:           arith.sitofp %[[HIGH]] : i8 to f16
// CHECK:           memref.store %{{.*}}, %{{.*}}[%[[I]], %[[ODD]]]
// CHECK:         tile.parallel
// CHECK:           arith.shrui
// CHECK:           arith.extui %{{.*}} : i8 to i32
func.func @unpack(%q: memref<?x32xi8> {tile.shape = "Mx32", tile.init = "integers(-128,127)"},
                  %w: memref<?x64xf16> {tile.shape = "Mx64", tile.result},
                  %u: memref<?x64xi32> {tile.shape = "Mx64", tile.result})
    attributes {tile.reference = @reference, tile.cases = ["M=32", "M=33", "M=1"]} {
  tile.kernel (%b) in (ceildiv(dim(%q, 0), 32)) {
    %s = tile.alloc : memref<32x32xi8, #tile.shared>
    %t = tile.alloc : memref<32x64xf16, #tile.shared>
    %v = tile.alloc : memref<32x64xi32, #tile.shared>
    tile.copy %q[%b * 32, 0], %s
    %codes = tile.view %s : memref<32x32xi8, #tile.shared> to memref<32x64xi4, #tile.shared>
    tile.copy %codes, %t
    tile.copy %codes, %v {is_unsigned}
    tile.copy %t, %w[%b * 32, 0]
    tile.copy %v, %u[%b * 32, 0]
  }
  return
}

func.func @reference(%q: memref<?x32xi8>, %w: memref<?x64xf16>, %u: memref<?x64xi32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %eight = arith.constant 8 : i32
  %sixteen = arith.constant 16 : i32
  %m = memref.dim %q, %c0 : memref<?x32xi8>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 64 {
      %byte = affine.load %q[%i, %j floordiv 2] : memref<?x32xi8>
      %wide = arith.extui %byte : i8 to i32
      %rest = arith.remui %j, %c2 : index
      %odd = arith.index_cast %rest : index to i1
      %high = arith.divui %wide, %sixteen : i32
      %low = arith.remui %wide, %sixteen : i32
      %code = arith.select %odd, %high, %low : i32
      affine.store %code, %u[%i, %j] : memref<?x64xi32>
      %is_negative = arith.cmpi sge, %code, %eight : i32
      %offset = arith.select %is_negative, %sixteen, %zero : i32
      %signed = arith.subi %code, %offset : i32
      %value = arith.sitofp %signed : i32 to f16
      affine.store %value, %w[%i, %j] : memref<?x64xf16>
    }
  }
  return
}
