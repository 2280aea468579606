// REQUIRES: nvidia
// RUN: not tile-run %s --target=cuda --device=model 2>&1 | FileCheck %s
// CHECK: swap {{.*}} FAIL: @swap_0: the model reports: {{.*}}model-race.mlir:[[# @LINE + 28]]:{{[0-9]+}}: load: {{.*}}shared memory

func.func @swap(%x: memref<64xf32> {tile.result}) attributes {tile.reference = @swap_reference} {
  return
}

func.func private @swap_reference(%x: memref<64xf32>) {
  return
}

// Code of threads, without a barrier between the store and the load.
gpu.module @swap_device attributes {tile.target = #tile.target<"sm_80">} {
  llvm.mlir.global external @tile_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
  gpu.func @swap_0(%x: !llvm.ptr<1>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>, tile.launch = #tile.launch<
        kernel = "swap_0", function = "swap", runtime = "cuda", chip = "sm_80",
        arguments = [<"x", memref<64xf32>, shape = [64]>], parameters = [<pointer, argument = 0>],
        grid = [1], block = [64]>} {
    %c1 = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %t = arith.index_cast %thread : index to i32
    %n = arith.xori %t, %c1 : i32
    %shared = llvm.mlir.addressof @tile_shared : !llvm.ptr<3>
    %px = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %to = llvm.getelementptr %shared[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %from = llvm.getelementptr %shared[%n] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %v = llvm.load %px : !llvm.ptr<1> -> f32
    llvm.store %v, %to : f32, !llvm.ptr<3>
    %w = llvm.load %from : !llvm.ptr<3> -> f32
    llvm.store %w, %px : f32, !llvm.ptr<1>
    gpu.return
  }
}
