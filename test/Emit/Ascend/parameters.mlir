// RUN: tile-opt --tile-to-ascend-pipeline %s | tile-translate --mlir-to-ascendc | FileCheck %s

// Scalars have the type of the elements, which the vendor's templates deduce
// from both. The parameters of Fixpipe stand in the order of its constructor:
// sizes, strides, relu, quantisation.

func.func @three(%x: memref<64xi16>) {
  %c = arith.constant 3 : i16
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xi16, #tile.shared>
    tile.fill %t, %c : memref<64xi16, #tile.shared>
    tile.copy %t, %x : memref<64xi16, #tile.shared>, memref<64xi16>
  }
  return
}
// CHECK-LABEL: void three_kernel(
// CHECK: Duplicate({{.*}}, int16_t(3), 64);

func.func @product(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf16>) {
  tile.kernel (%x) in (1) {
    %as = tile.alloc : memref<16x16xf16, #tile.shared>
    %bs = tile.alloc : memref<16x16xf16, #tile.shared>
    %acc = tile.alloc : memref<16x16xf32, #tile.fragment>
    tile.copy %a, %as : memref<16x16xf16>, memref<16x16xf16, #tile.shared>
    tile.copy %b, %bs : memref<16x16xf16>, memref<16x16xf16, #tile.shared>
    tile.gemm %as, %bs, %acc {clear} : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
    tile.copy %acc, %c : memref<16x16xf32, #tile.fragment>, memref<16x16xf16>
  }
  return
}
// CHECK-LABEL: void product_kernel(
// CHECK: Fixpipe<half, float>({{.*}}, FixpipeParamsV220(16, 16, 16, 16, false, QuantMode_t::F322F16, 0, 1, 0, 0, 0));
