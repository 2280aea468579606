// RUN: tile-opt %s --convert-tile-to-gpu=target=sm_90a | FileCheck %s

// A function becomes a module with a function for each of its kernels.
// CHECK: gpu.module @two_kernels_gpu attributes {tile.function = "two_kernels", tile.target = #tile.target<"sm_90a">}
// CHECK: llvm.mlir.global external @tile_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: gpu.func @two_kernels_0(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{.*}}: f32) kernel attributes {
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME: tile.launch = {arguments = [{align = 16 : i64, dtype = "f32", kind = "memref", shape = [256]}, {dtype = "f32", kind = "scalar"}]
// CHECK-SAME: block = [128], chip = "sm_90a", grid = [2, 3], kernel = "two_kernels_0"
// CHECK-SAME: parameters = [{argument = 0 : i64, kind = "pointer"}, {argument = 1 : i64, kind = "scalar"}]
// CHECK-SAME: shared = 0 : i64
// CHECK-SAME: symbols = []
// CHECK-SAME: target = "cuda"
// CHECK-SAME: version = 1 : i64
// CHECK: gpu.func @two_kernels_1
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME: grid = [5]
// CHECK-NOT: func.func
// CHECK-NOT: memref
func.func @two_kernels(%a: memref<256xf32>, %x: f32) {
  tile.kernel (%b, %c) in (2, 3) {
    tile.fill %a, %x : memref<256xf32>
  }
  tile.kernel (%b) in (5) threads(64) {
    tile.fill %a, %x : memref<256xf32>
  }
  return
}

// Sizes and strides are parameters where the kernel asks for them; the grid is computed by the caller.
// CHECK-LABEL: gpu.func @dynamic_0(
// CHECK-SAME: arguments = [{align = 16 : i64, dtype = "f16", kind = "memref", shape = ["size0.0", "size0.1"], strides = ["stride0.0", 1]}, {dtype = "i64", kind = "scalar"}]
// CHECK-SAME: grid = ["size0.0 64 ceildiv", "scalar1 2 * 1 +"]
// CHECK-SAME: parameters = [
// CHECK-SAME: {argument = 0 : i64, kind = "pointer"}
// CHECK-SAME: {argument = 0 : i64, dim = 0 : i64, kind = "size", type = "i64"}
// CHECK-SAME: {argument = 0 : i64, dim = 0 : i64, kind = "stride", type = "i64"}
// CHECK-SAME: symbols = [
// CHECK-SAME: {argument = 0 : i64, dim = 0 : i64, name = "size0.0"}
// CHECK-SAME: {argument = 0 : i64, name = "stride0.0", stride = 0 : i64}
// CHECK-SAME: {argument = 1 : i64, name = "scalar1"}
func.func @dynamic(%a: memref<?x?xf16, strided<[?, 1]>>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = memref.dim %a, %c0 : memref<?x?xf16, strided<[?, 1]>>
  %rows = affine.apply affine_map<()[s] -> (s ceildiv 64)>()[%m]
  %twice = arith.muli %n, %c2 : index
  %more = arith.addi %twice, %c1 : index
  %zero = arith.constant 0.0 : f16
  tile.kernel (%b, %c) in (%rows, %more) {
    %s = tile.alloc : memref<64x32xf16, #tile.shared>
    tile.copy %a[%b * 64, 0], %s : memref<?x?xf16, strided<[?, 1]>>, memref<64x32xf16, #tile.shared>
    tile.copy %s, %a[%b * 64, 0] : memref<64x32xf16, #tile.shared>, memref<?x?xf16, strided<[?, 1]>>
  }
  return
}

// Host numbers are computed again in the kernel; a scalar of a type that LLVM lacks comes as its bits.
// CHECK-LABEL: gpu.func @scalars_0(
// CHECK-SAME: %[[N:[a-z0-9]+]]: i64, %[[F:[a-z0-9]+]]: i8
// CHECK-SAME: {dtype = "f8E4M3FN", kind = "scalar"}
// CHECK-DAG: arith.bitcast %[[F]] : i8 to f8E4M3FN
// CHECK-DAG: arith.index_cast %[[N]] : i64 to index
// CHECK: arith.muli
func.func @scalars(%a: memref<8xf8E4M3FN>, %i: memref<8xi64>, %n: index, %f: f8E4M3FN) {
  %wide = arith.index_cast %n : index to i64
  %square = arith.muli %wide, %wide : i64
  tile.kernel (%b) in (1) threads(32) {
    tile.fill %i, %square : memref<8xi64>
    tile.fill %a, %f : memref<8xf8E4M3FN>
  }
  return
}

// Threads come in whole warps; clusters are said to the hardware and to the launch.
// CHECK-LABEL: gpu.func @cluster_0(
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-SAME: cluster = [2]
func.func @cluster(%a: memref<64xf32>, %x: f32) {
  tile.kernel (%b) in (4) threads(33) cluster(2) {
    tile.fill %a, %x : memref<64xf32>
  }
  return
}

// Shared buffers without a plan get places of their own.
// CHECK-LABEL: gpu.func @arena_0(
// CHECK-SAME: shared = 1280 : i64
// CHECK: llvm.mlir.addressof @tile_shared : !llvm.ptr<3>
func.func @arena(%x: f32) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<256xf32, #tile.shared>
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.fill %s, %x : memref<256xf32, #tile.shared>
    tile.fill %t, %x : memref<64xf32, #tile.shared>
  }
  return
}

// A function without a kernel stays.
// CHECK: func.func @host
func.func @host(%x: f32) -> f32 {
  return %x : f32
}
