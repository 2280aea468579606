// A function whose kernels are given as code of threads. Without a GPU it can be
// compiled and saved for another machine.

// RUN: env TILE_CUDA_DRIVER=/no/driver.so not tile-run --target=cuda %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: tile-run: no CUDA driver: /no/driver.so

// RUN: rm -rf %t && mkdir %t
// RUN: tile-run --target=cuda --save=%t/new/folder %s | FileCheck %s --check-prefix=SAVED
// SAVED: saxpy n=1000 - 1.0e-06 -
// SAVED: saxpy n=1 - 1.0e-06 -
// SAVED: 0 passed, 0 failed, 2 not checked
// RUN: cat %t/new/folder/cuda.saxpy/n=1000/case.txt | FileCheck %s --check-prefix=CASE
// CASE: tile-case 1
// CASE-NEXT: function saxpy
// CASE-NEXT: case n=1000
// CASE-NEXT: image ../image.{{cubin|ptx}}
// CASE-NEXT: bitcode ../image.bc
// CASE-NEXT: kernel ../kernel-0.json
// CASE-NEXT: tolerance 0x1{{.*}}p-20 0x0p+0
// CASE-NEXT: argument tensor f32 1000 fill normal 0 0 {{.*}} -
// CASE-NEXT: argument tensor f32 1000 fill poison 0 1 {{.*}} expected-1.npy
// CASE-NEXT: argument scalar f32 - bits 40200000 -
// CASE-NOT: {{.}}
// RUN: FileCheck %s --check-prefix=META --input-file=%t/new/folder/cuda.saxpy/kernel-0.json
// META: "kernel": "saxpy_0"
// RUN: tile-run %s --func=expected --arg=2:2.5 n=1000 --check=1:%t/new/folder/cuda.saxpy/n=1000/expected-1.npy | FileCheck %s --check-prefix=SAME
// SAME: 1 passed, 0 failed

// RUN: not tile-run --target=cuda --save=%t --func=missing %s 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: there is no function @missing

// RUN: not tile-run --target=cuda --save=%t --func=hostonly n=8 %s 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: no device code of @hostonly was made
// HOST: hostonly n=8 {{.*}} FAIL: @hostonly could not be compiled for cuda

// RUN: not tile-run --save=%t %s 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: tile-run: --ptxas, --save, --flush-l2 and --dump-ir=ptx need --target=cuda
// RUN: not tile-run --target=cuda --save=%t --time=3 %s 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: tile-run: --time: nothing runs with --save; give it to tile-replay
// RUN: not tile-run --target=cuda --save=%s/folder %s 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: FAIL: {{.*}}: Not a directory
// RUN: tile-run --target=cuda --save=%t --dump-ir=ptx --check=none %s n=8 | FileCheck %s --check-prefix=PTX
// PTX: .visible .entry saxpy_0(

func.func @saxpy(%x: memref<?xf32> {tile.shape = "n"}, %y: memref<?xf32> {tile.shape = "n", tile.result},
                 %a: f32 {tile.init = "2.5"})
    attributes {tile.reference = @expected, tile.cases = ["n=1000", "n=1"], tile.atol = 1.0e-6 : f64} {
  return
}

func.func private @expected(%x: memref<?xf32> {tile.shape = "n"}, %y: memref<?xf32> {tile.shape = "n"}, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.mulf %v, %a : f32
    memref.store %w, %y[%i] : memref<?xf32>
  }
  return
}

func.func @hostonly(%x: memref<?xf32> {tile.shape = "n"}) {
  return
}

gpu.module @saxpy_device attributes {tile.target = #tile.target<"sm_90a">} {
  gpu.func @saxpy_0(%x: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %y: !llvm.ptr<1> {llvm.noalias}, %n: i32, %a: f32)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>, tile.launch = #tile.launch<
        kernel = "saxpy_0", function = "saxpy", runtime = "cuda", chip = "sm_90a",
        symbols = [<"n", size, argument = 0, dim = 0>],
        arguments = [<"x", memref<?xf32>, shape = [s0]>, <"y", memref<?xf32>, shape = [s0]>, <"a", f32>],
        parameters = [<pointer, argument = 0>, <pointer, argument = 1>, <value, value = s0, type = i32>,
                      <scalar, argument = 2>],
        grid = [s0 ceildiv 128], block = [128]>} {
    %size = arith.constant 128 : i32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %t = arith.index_cast %thread : index to i32
    %b = arith.index_cast %block : index to i32
    %base = arith.muli %b, %size : i32
    %i = arith.addi %base, %t : i32
    %inside = arith.cmpi slt, %i, %n : i32
    scf.if %inside {
      %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %v = llvm.load %px : !llvm.ptr<1> -> f32
      %w = arith.mulf %v, %a : f32
      llvm.store %w, %py : f32, !llvm.ptr<1>
    }
    gpu.return
  }
}
