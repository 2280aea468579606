// REQUIRES: nvidia
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model --func=copy | FileCheck %s --check-prefix=COPY
// RUN: not tile-run %s --device=model 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not tile-run %s --target=cuda --device=gpu 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not tile-run %s --target=cuda --device=model --save=%t 2>&1 | FileCheck %s --check-prefix=SAVE
// RUN: env TILE_CUDA_DRIVER=/no/driver.so not tile-run %s --target=cuda 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tile-run %s --target=cuda --chip=sm_80 --device=model --func=swap 2>&1 | FileCheck %s --check-prefix=RACE

// COPY: copy {{ +}}- {{.*}}0{{.*}}equal
// CPU: tile-run: --device=model needs --target=cuda or hip
// OTHER: tile-run: --device: expected 'model', got 'gpu'
// SAVE: tile-run: --ptxas, --save, --flush-l2 and --dump-ir=ptx are not for --device=model
// RACE: swap {{.*}} FAIL: @swap_0: the model reports: {{.*}}model.mlir:[[# @LINE + 43]]:{{[0-9]+}}: load: {{.*}}shared memory
// NONE: tile-run: no CUDA driver: /no/driver.so{{.*}}; --device=model runs kernels on a model

func.func @copy(%x: memref<100xf32>, %y: memref<100xf32> {tile.result}) attributes {tile.reference = @copy_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<100xf32, #tile.shared>
    tile.copy %x, %t : memref<100xf32>, memref<100xf32, #tile.shared>
    tile.copy %t, %y : memref<100xf32, #tile.shared>, memref<100xf32>
  }
  return
}

func.func @copy_reference(%x: memref<100xf32>, %y: memref<100xf32>) {
  memref.copy %x, %y : memref<100xf32> to memref<100xf32>
  return
}

func.func @swap(%x: memref<64xf32> {tile.result}) attributes {tile.reference = @swap_reference} {
  return
}

func.func private @swap_reference(%x: memref<64xf32>) {
  return
}

// Code of threads without a barrier between the store and the load.
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
