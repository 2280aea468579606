// RUN: tile-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(tile-gpu-to-nvvm))" | FileCheck %s

// Short values go as a word.

// CHECK-LABEL: llvm.func @short(
// CHECK: llvm.bitcast %{{.*}} : f16 to i16
// CHECK: llvm.zext %{{.*}} : i16 to i32
// CHECK: nvvm.shfl.sync bfly %{{.*}} : i32 -> i32
// CHECK: llvm.trunc %{{.*}} : i32 to i16
gpu.module @shorts {
  gpu.func @short(%v: f16, %p: !llvm.ptr<1>) kernel {
    %w = arith.constant 32 : i32
    %c1 = arith.constant 1 : i32
    %0, %valid = gpu.shuffle xor %v, %c1, %w : f16
    llvm.store %0, %p : f16, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Two words, and whether there was a lane.

// CHECK-LABEL: llvm.func @wide(
// CHECK-COUNT-2: nvvm.shfl.sync {{.*}}return_value_and_is_valid
gpu.module @wides {
  gpu.func @wide(%v: f64, %p: !llvm.ptr<1>) kernel {
    %w = arith.constant 32 : i32
    %c1 = arith.constant 1 : i32
    %0, %valid = gpu.shuffle down %v, %c1, %w : f64
    %1 = arith.select %valid, %0, %v : f64
    llvm.store %1, %p : f64, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// A word and a half go as two.

// CHECK-LABEL: llvm.func @padded(
// CHECK: llvm.bitcast %{{.*}} : vector<3xf16> to i48
// CHECK: llvm.zext %{{.*}} : i48 to i64
// CHECK-COUNT-2: nvvm.shfl.sync idx
// CHECK: llvm.trunc %{{.*}} : i64 to i48
// CHECK: llvm.bitcast %{{.*}} : i48 to vector<3xf16>
gpu.module @paddeds {
  gpu.func @padded(%v: vector<3xf16>, %p: !llvm.ptr<1>) kernel {
    %w = arith.constant 32 : i32
    %c1 = arith.constant 1 : i32
    %0, %valid = gpu.shuffle idx %v, %c1, %w : vector<3xf16>
    llvm.store %0, %p : vector<3xf16>, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Shuffles upwards are clamped at the first lane: no 31.

// CHECK-LABEL: llvm.func @up(
// CHECK-NOT: llvm.or
// CHECK: nvvm.shfl.sync up
gpu.module @ups {
  gpu.func @up(%v: i32, %w: i32, %p: !llvm.ptr<1>) kernel {
    %c1 = arith.constant 1 : i32
    %0, %valid = gpu.shuffle up %v, %c1, %w : i32
    llvm.store %0, %p : i32, !llvm.ptr<1>
    gpu.return
  }
}
