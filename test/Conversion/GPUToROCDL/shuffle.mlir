// RUN: tile-opt %s --split-input-file --tile-set-target=chip=gfx942 --tile-gpu-to-rocdl | FileCheck %s

// Exchanges within a row of 16 lanes need no address.

// CHECK-LABEL: llvm.func @row(
// CHECK-SAME: rocdl.flat_work_group_size = "128,128"
// CHECK-SAME: rocdl.kernel
gpu.module @rows {
  gpu.func @row(%v: f32, %p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %w = arith.constant 64 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    // CHECK: rocdl.update.dpp {{.*}} with 177, 15, 15, true
    %0, %v0 = gpu.shuffle xor %v, %c1, %w : f32
    // CHECK: rocdl.update.dpp {{.*}} with 78, 15, 15, true
    %1, %v1 = gpu.shuffle xor %0, %c2, %w : f32
    // CHECK: rocdl.update.dpp {{.*}} with 296, 15, 15, true
    %2, %v2 = gpu.shuffle xor %1, %c8, %w : f32
    llvm.store %2, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Within 32 lanes the pattern is a constant, beyond there is an address.

// CHECK-LABEL: llvm.func @wave(
gpu.module @waves {
  gpu.func @wave(%v: f32, %p: !llvm.ptr<1>) kernel {
    %w = arith.constant 64 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    // CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4127 : i32)
    // CHECK: rocdl.ds_swizzle %{{.*}}, %[[FOUR]]
    %0, %v0 = gpu.shuffle xor %v, %c4, %w : f32
    // CHECK: %[[SIXTEEN:.*]] = llvm.mlir.constant(16415 : i32)
    // CHECK: rocdl.ds_swizzle %{{.*}}, %[[SIXTEEN]]
    %1, %v1 = gpu.shuffle xor %0, %c16, %w : f32
    // CHECK: rocdl.mbcnt.hi
    // CHECK: rocdl.ds_bpermute
    %2, %v2 = gpu.shuffle xor %1, %c32, %w : f32
    llvm.store %2, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Two words, and whether there was a lane.

// CHECK-LABEL: llvm.func @wide(
// CHECK-COUNT-2: rocdl.ds_bpermute
gpu.module @wides {
  gpu.func @wide(%v: f64, %p: !llvm.ptr<1>) kernel {
    %w = arith.constant 64 : i32
    %c1 = arith.constant 1 : i32
    %0, %valid = gpu.shuffle down %v, %c1, %w : f64
    %1 = arith.select %valid, %0, %v : f64
    llvm.store %1, %p : f64, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// How many blocks there are stands behind the arguments.

// CHECK-LABEL: llvm.func @grid(
// CHECK: llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
// CHECK: llvm.getelementptr %{{.*}}[1] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i32
gpu.module @grids {
  gpu.func @grid(%p: !llvm.ptr<1>) kernel {
    %0 = gpu.grid_dim y
    %1 = arith.index_cast %0 : index to i64
    llvm.store %1, %p : i64, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// A word and a half go as two.

// CHECK-LABEL: llvm.func @padded(
// CHECK: llvm.bitcast %{{.*}} : vector<3xf16> to i48
// CHECK: llvm.zext %{{.*}} : i48 to i64
// CHECK-COUNT-2: rocdl.update.dpp
// CHECK: llvm.trunc %{{.*}} : i64 to i48
// CHECK: llvm.bitcast %{{.*}} : i48 to vector<3xf16>
gpu.module @paddeds {
  gpu.func @padded(%v: vector<3xf16>, %p: !llvm.ptr<1>) kernel {
    %w = arith.constant 64 : i32
    %c1 = arith.constant 1 : i32
    %0, %valid = gpu.shuffle xor %v, %c1, %w : vector<3xf16>
    llvm.store %0, %p : vector<3xf16>, !llvm.ptr<1>
    gpu.return
  }
}
