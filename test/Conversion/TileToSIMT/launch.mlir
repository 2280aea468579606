// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt | FileCheck %s

// A function becomes a module with a function for each of its kernels.
// CHECK: gpu.module @two_kernels_gpu attributes {tile.target = #tile.target<"sm_90a">}
// CHECK: llvm.mlir.global external @tile_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: gpu.func @two_kernels_0(%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{.*}}: f32) kernel attributes {
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME: tile.launch = #tile.launch<kernel = "two_kernels_0", function = "two_kernels", runtime = "cuda", chip = "sm_90a"
// CHECK-SAME: arguments = [<"", memref<256xf32>, align = 16, shape = [256]>, <"", f32>]
// CHECK-SAME: parameters = [<pointer, argument = 0>, <scalar, argument = 1>]
// CHECK-SAME: grid = [2, 3], block = [128]>
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

// A launch has at most 65535 blocks along y: they are all along x then, in the same order.
// CHECK-LABEL: gpu.func @wide_0(
// CHECK-SAME: grid = [280000], block = [32]>
// CHECK-NOT: gpu.block_id y
// CHECK: %[[ALL:.*]] = gpu.block_id x
// CHECK: arith.remui %[[ALL]], %c4
// CHECK: %[[REST:.*]] = arith.divui %[[ALL]], %c4
// CHECK: arith.remui %[[REST]], %c70000
func.func @wide(%a: memref<4x70000xf32>, %x: f32) {
  tile.kernel (%b, %c) in (4, 70000) threads(32) {
    memref.store %x, %a[%b, %c] : memref<4x70000xf32>
  }
  return
}

// Sizes and strides are parameters where the kernel asks for them; the grid is computed by the caller. What nothing depends
// on may have any value. What launches refuse, LLVM knows of sizes, but not of strides.
// CHECK-LABEL: gpu.func @dynamic_0(
// CHECK-SAME: %{{.*}}: i64 {llvm.range = #llvm.constant_range<i64, 0, 1152921504606846976>}, %{{.*}}: i64,
// CHECK-SAME: symbols = [<"size0.0", size, argument = 0, dim = 0>, <"scalar1", scalar, argument = 1>]
// CHECK-SAME: arguments = [<"", memref<?x?xf16, strided<[?, 1]>>, align = 16, shape = [s0, ?], strides = [?, 1]>, <"", index>]
// CHECK-SAME: parameters = [<pointer, argument = 0>
// CHECK-SAME: <size, argument = 0, dim = 0>
// CHECK-SAME: <stride, argument = 0, dim = 0>
// CHECK-SAME: grid = [s0 ceildiv 64, s1 * 2 + 1]
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
// CHECK-SAME: <"", f8E4M3FN>
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
// CHECK-SAME: cluster = [2]>
func.func @cluster(%a: memref<64xf32>, %x: f32) {
  tile.kernel (%b) in (4) threads(33) cluster(2) {
    tile.fill %a, %x : memref<64xf32>
  }
  return
}

// Shared buffers without a plan get places of their own.
// CHECK-LABEL: gpu.func @arena_0(
// CHECK-SAME: shared = 1280>
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

// Sizes with one name of tile.shape are one symbol, that of the first. The least and greatest of numbers are symbols, too.
// CHECK-LABEL: gpu.func @named_0(
// CHECK-SAME: symbols = [<"M", size, argument = 0, dim = 0>, <"scalar2", scalar, argument = 2>, <"min2", min, values = [s0 ceildiv 16, s1]>, <"K", size, argument = 0, dim = 1>]
// CHECK-SAME: shape = [s0, s3]>, <"", memref<?x8xf16>, align = 16, shape = [s3, 8]>, <"", index>]
// CHECK-SAME: grid = [s2 + 4]
func.func @named(%a: memref<?x?xf16> {tile.shape = "MxK"}, %b: memref<?x8xf16> {tile.shape = "Kx8"}, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %rows = arith.ceildivsi %m, %c16 : index
  %least = arith.minsi %rows, %n : index
  %blocks = arith.addi %least, %c4 : index
  tile.kernel (%x) in (%blocks) threads(32) {
  }
  return
}

// A function without a kernel stays.
// CHECK: func.func @host
func.func @host(%x: f32) -> f32 {
  return %x : f32
}
