// RUN: tile-translate --tile-to-ptx %s | FileCheck %s
// RUN: %if ptxas %{ tile-translate --tile-to-cubin --ptxas-strict %s -o %t.cubin %}

// A sum over a block: shuffles in a warp, shared memory among warps. The order
// of barriers and accesses stays.
// CHECK: .extern .shared .align 1024 .b8 tile_shared[];
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK: st.shared.b32
// CHECK: bar.sync 0;
// CHECK: ld.shared
// CHECK-COUNT-2: shfl.sync.bfly.b32
// CHECK: st.global.b32
gpu.module @device attributes {tile.target = #tile.target<"sm_90a">} {
  llvm.mlir.global external @tile_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  gpu.func @sum(%a: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %out: !llvm.ptr<1> {llvm.noalias}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tile.launch = #tile.launch<kernel = "sum">} {
    %c32 = arith.constant 32 : i32
    %c0 = arith.constant 0 : index
    %shared = llvm.mlir.addressof @tile_shared : !llvm.ptr<3>
    %thread = gpu.thread_id x
    %t = arith.index_cast %thread : index to i32
    %pa = llvm.getelementptr %a[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %pa : !llvm.ptr<1> -> f32
    %lane = gpu.lane_id
    %unit = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : index
    %sum, %distance = scf.for %i = %c0 to %five step %unit iter_args(%s = %x, %d = %one) -> (f32, i32) {
      %other, %valid = gpu.shuffle xor %s, %d, %c32 : f32
      %next = arith.addf %s, %other : f32
      %twice = arith.addi %d, %d : i32
      scf.yield %next, %twice : f32, i32
    }
    %c5 = arith.constant 5 : i32
    %warp = arith.shrui %t, %c5 : i32
    %isFirst = arith.cmpi eq, %lane, %c0 : index
    scf.if %isFirst {
      %p = llvm.getelementptr %shared[%warp] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
      llvm.store %sum, %p : f32, !llvm.ptr<3>
    }
    gpu.barrier
    %c3 = arith.constant 3 : i32
    %k = arith.andi %t, %c3 : i32
    %q = llvm.getelementptr %shared[%k] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %part = llvm.load %q : !llvm.ptr<3> -> f32
    %two = arith.constant 2 : i32
    %o1, %v1 = gpu.shuffle xor %part, %one, %c32 : f32
    %s1 = arith.addf %part, %o1 : f32
    %o2, %v2 = gpu.shuffle xor %s1, %two, %c32 : f32
    %s2 = arith.addf %s1, %o2 : f32
    %isZero = arith.cmpi eq, %thread, %c0 : index
    scf.if %isZero {
      llvm.store %s2, %out : f32, !llvm.ptr<1>
    }
    gpu.return
  }
}
