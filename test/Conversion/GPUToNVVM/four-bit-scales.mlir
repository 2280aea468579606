// RUN: tile-opt %s --pass-pipeline="builtin.module(gpu.module(tile-lower-nvvm-small-floats,canonicalize))" | FileCheck %s

gpu.module @kernels {

// Elements that went to a fragment and are scaled there: one multiply-add for the two of a byte, whose integers plus 8 are 2^-133
// and 2^-129 of what their bits are. The factor has 2^(133 - 64) and 2^(129 - 64), and -8 * 2^-64.
// CHECK-LABEL: gpu.func @fragment
// CHECK-DAG: %[[LOW_MASK:.*]] = arith.constant 252645135 : i32
// CHECK-DAG: %[[LOW_FLIP:.*]] = arith.constant 134744072 : i32
// CHECK-DAG: %[[HIGH_MASK:.*]] = arith.constant -252645136 : i32
// CHECK-DAG: %[[HIGH_FLIP:.*]] = arith.constant -2139062144 : i32
// CHECK-DAG: %[[SELECTOR:.*]] = arith.constant 33920 : i32
// CHECK-DAG: %[[POWERS:.*]] = arith.constant dense<[5.902950e+20, 3.689350e+19]> : vector<2xbf16>
// CHECK-DAG: %[[REST:.*]] = arith.constant dense<-4.336810e-19> : vector<2xbf16>
// CHECK: %[[LOW:.*]] = llvm.inline_asm {{.*}} %[[WORD:.*]], %[[LOW_MASK]], %[[LOW_FLIP]]
// CHECK: %[[HIGH:.*]] = llvm.inline_asm {{.*}} %[[WORD]], %[[HIGH_MASK]], %[[HIGH_FLIP]]
// CHECK: nvvm.prmt <default> %[[SELECTOR]], %[[LOW]], %[[HIGH]]
// CHECK: %[[SCALE:.*]] = llvm.fmul %{{.*}}, %[[POWERS]]
// CHECK: %[[BACK:.*]] = llvm.fmul %{{.*}}, %[[REST]]
// CHECK: llvm.intr.fma(%{{.*}}, %[[SCALE]], %[[BACK]])
// CHECK: llvm.inline_asm asm_dialect = att "", "=r,0"
// CHECK-COUNT-3: llvm.intr.fma
// CHECK-NOT: llvm.intr.fma
// CHECK-NOT: arith.mulf
gpu.func @fragment(%codes: vector<8xi4>, %factor: bf16, %out: !llvm.ptr) {
  %c1 = arith.constant 1 : i32
  %power = arith.constant 5.421010e-20 : bf16
  %t = llvm.alloca %c1 x !llvm.array<8 x bf16> : (i32) -> !llvm.ptr
  %v = arith.sitofp %codes : vector<8xi4> to vector<8xbf16>
  %scale = arith.mulf %factor, %power fastmath<reassoc> : bf16
  %e0 = vector.extract %v[0] : bf16 from vector<8xbf16>
  llvm.store %e0, %t : bf16, !llvm.ptr
  %e1 = vector.extract %v[1] : bf16 from vector<8xbf16>
  %t1 = llvm.getelementptr %t[1] : (!llvm.ptr) -> !llvm.ptr, bf16
  llvm.store %e1, %t1 : bf16, !llvm.ptr
  %e2 = vector.extract %v[2] : bf16 from vector<8xbf16>
  %t2 = llvm.getelementptr %t[2] : (!llvm.ptr) -> !llvm.ptr, bf16
  llvm.store %e2, %t2 : bf16, !llvm.ptr
  %e3 = vector.extract %v[3] : bf16 from vector<8xbf16>
  %t3 = llvm.getelementptr %t[3] : (!llvm.ptr) -> !llvm.ptr, bf16
  llvm.store %e3, %t3 : bf16, !llvm.ptr
  %e4 = vector.extract %v[4] : bf16 from vector<8xbf16>
  %t4 = llvm.getelementptr %t[4] : (!llvm.ptr) -> !llvm.ptr, bf16
  llvm.store %e4, %t4 : bf16, !llvm.ptr
  %e5 = vector.extract %v[5] : bf16 from vector<8xbf16>
  %t5 = llvm.getelementptr %t[5] : (!llvm.ptr) -> !llvm.ptr, bf16
  llvm.store %e5, %t5 : bf16, !llvm.ptr
  %e6 = vector.extract %v[6] : bf16 from vector<8xbf16>
  %t6 = llvm.getelementptr %t[6] : (!llvm.ptr) -> !llvm.ptr, bf16
  llvm.store %e6, %t6 : bf16, !llvm.ptr
  %e7 = vector.extract %v[7] : bf16 from vector<8xbf16>
  %t7 = llvm.getelementptr %t[7] : (!llvm.ptr) -> !llvm.ptr, bf16
  llvm.store %e7, %t7 : bf16, !llvm.ptr
  %l0 = llvm.load %t : !llvm.ptr -> bf16
  %p0 = arith.mulf %l0, %scale fastmath<reassoc> : bf16
  %l1 = llvm.load %t1 : !llvm.ptr -> bf16
  %p1 = arith.mulf %l1, %scale fastmath<reassoc> : bf16
  %l2 = llvm.load %t2 : !llvm.ptr -> bf16
  %p2 = arith.mulf %l2, %scale fastmath<reassoc> : bf16
  %l3 = llvm.load %t3 : !llvm.ptr -> bf16
  %p3 = arith.mulf %l3, %scale fastmath<reassoc> : bf16
  %l4 = llvm.load %t4 : !llvm.ptr -> bf16
  %p4 = arith.mulf %l4, %scale fastmath<reassoc> : bf16
  %l5 = llvm.load %t5 : !llvm.ptr -> bf16
  %p5 = arith.mulf %l5, %scale fastmath<reassoc> : bf16
  %l6 = llvm.load %t6 : !llvm.ptr -> bf16
  %p6 = arith.mulf %l6, %scale fastmath<reassoc> : bf16
  %l7 = llvm.load %t7 : !llvm.ptr -> bf16
  %p7 = arith.mulf %l7, %scale fastmath<reassoc> : bf16
  llvm.store volatile %p0, %out : bf16, !llvm.ptr
  llvm.store volatile %p1, %out : bf16, !llvm.ptr
  llvm.store volatile %p2, %out : bf16, !llvm.ptr
  llvm.store volatile %p3, %out : bf16, !llvm.ptr
  llvm.store volatile %p4, %out : bf16, !llvm.ptr
  llvm.store volatile %p5, %out : bf16, !llvm.ptr
  llvm.store volatile %p6, %out : bf16, !llvm.ptr
  llvm.store volatile %p7, %out : bf16, !llvm.ptr
  gpu.return
}

// A byte of a lane takes one permutation, no shift; a float keeps its product alone.
// CHECK-LABEL: gpu.func @bytes
// CHECK-DAG: %[[MASK:.*]] = arith.constant 15728655 : i32
// CHECK-DAG: %[[FLIP:.*]] = arith.constant 8388616 : i32
// CHECK-NOT: arith.shrui
// CHECK: %[[BYTES:.*]] = nvvm.prmt <default> %{{.*}}, %[[W:.*]], %[[W]]
// CHECK: "lop3.b32 $0, $1, $2, $3, 106;", "=r,r,r,r" %[[BYTES]], %[[MASK]], %[[FLIP]]
// CHECK: llvm.intr.fma
gpu.func @bytes(%word: i32, %number: i32, %factor: bf16, %out: !llvm.ptr) {
  %eight = arith.constant 8 : i32
  %power = arith.constant 5.421010e-20 : bf16
  %bits = arith.muli %number, %eight : i32
  %shifted = arith.shrui %word, %bits : i32
  %byte = arith.trunci %shifted : i32 to i8
  %codes = llvm.bitcast %byte : i8 to vector<2xi4>
  %v = arith.sitofp %codes : vector<2xi4> to vector<2xbf16>
  %scale = arith.mulf %factor, %power fastmath<reassoc> : bf16
  %e0 = vector.extract %v[0] : bf16 from vector<2xbf16>
  %e1 = vector.extract %v[1] : bf16 from vector<2xbf16>
  %p0 = arith.mulf %scale, %e0 fastmath<reassoc> : bf16
  %p1 = arith.mulf %e1, %scale fastmath<reassoc> : bf16
  llvm.store volatile %p0, %out : bf16, !llvm.ptr
  llvm.store volatile %p1, %out : bf16, !llvm.ptr
  gpu.return
}

// CHECK-LABEL: gpu.func @floats
// CHECK-DAG: arith.constant dense<4.611690e+18> : vector<2xbf16>
// CHECK: nvvm.prmt
// CHECK: llvm.fmul
// CHECK: llvm.fmul
// CHECK-NOT: llvm.fmul
// CHECK-NOT: arith.mulf
gpu.func @floats(%codes: vector<2xf4E2M1FN>, %factor: bf16, %out: !llvm.ptr) {
  %power = arith.constant 5.421010e-20 : bf16
  %wide = arith.extf %codes : vector<2xf4E2M1FN> to vector<2xf32>
  %v = arith.truncf %wide : vector<2xf32> to vector<2xbf16>
  %scale = arith.mulf %factor, %power fastmath<reassoc> : bf16
  %e0 = vector.extract %v[0] : bf16 from vector<2xbf16>
  %e1 = vector.extract %v[1] : bf16 from vector<2xbf16>
  %p0 = arith.mulf %scale, %e0 fastmath<reassoc> : bf16
  %p1 = arith.mulf %e1, %scale fastmath<reassoc> : bf16
  llvm.store volatile %p0, %out : bf16, !llvm.ptr
  llvm.store volatile %p1, %out : bf16, !llvm.ptr
  gpu.return
}

// Without the power, or the flag, or with two scales for a pair, products stay.
// CHECK-LABEL: gpu.func @kept
// CHECK-NOT: llvm.intr.fma
// CHECK-COUNT-6: arith.mulf
// CHECK: gpu.return
gpu.func @kept(%codes: vector<2xi4>, %factor: bf16, %other: bf16, %out: !llvm.ptr) {
  %power = arith.constant 5.421010e-20 : bf16
  %v = arith.sitofp %codes : vector<2xi4> to vector<2xbf16>
  %scale = arith.mulf %factor, %power fastmath<reassoc> : bf16
  %scale2 = arith.mulf %other, %power fastmath<reassoc> : bf16
  %e0 = vector.extract %v[0] : bf16 from vector<2xbf16>
  %e1 = vector.extract %v[1] : bf16 from vector<2xbf16>
  %p0 = arith.mulf %e0, %scale fastmath<reassoc> : bf16
  %p1 = arith.mulf %e1, %scale2 fastmath<reassoc> : bf16
  %p2 = arith.mulf %e0, %factor fastmath<reassoc> : bf16
  %p3 = arith.mulf %e1, %factor fastmath<reassoc> : bf16
  llvm.store volatile %p0, %out : bf16, !llvm.ptr
  llvm.store volatile %p1, %out : bf16, !llvm.ptr
  llvm.store volatile %p2, %out : bf16, !llvm.ptr
  llvm.store volatile %p3, %out : bf16, !llvm.ptr
  gpu.return
}

// What is stored in a branch between may be another element.
// CHECK-LABEL: gpu.func @branch
// CHECK: llvm.load
// CHECK: arith.mulf
// CHECK: arith.mulf
gpu.func @branch(%codes: vector<2xi4>, %factor: bf16, %other: bf16, %is: i1, %out: !llvm.ptr) {
  %c1 = arith.constant 1 : i32
  %power = arith.constant 5.421010e-20 : bf16
  %t = llvm.alloca %c1 x !llvm.array<2 x bf16> : (i32) -> !llvm.ptr
  %t1 = llvm.getelementptr %t[1] : (!llvm.ptr) -> !llvm.ptr, bf16
  %v = arith.sitofp %codes : vector<2xi4> to vector<2xbf16>
  %scale = arith.mulf %factor, %power fastmath<reassoc> : bf16
  %e0 = vector.extract %v[0] : bf16 from vector<2xbf16>
  %e1 = vector.extract %v[1] : bf16 from vector<2xbf16>
  llvm.store %e0, %t : bf16, !llvm.ptr
  llvm.store %e1, %t1 : bf16, !llvm.ptr
  scf.if %is {
    llvm.store %other, %t1 : bf16, !llvm.ptr
  }
  %l0 = llvm.load %t : !llvm.ptr -> bf16
  %l1 = llvm.load %t1 : !llvm.ptr -> bf16
  %p0 = arith.mulf %l0, %scale fastmath<reassoc> : bf16
  %p1 = arith.mulf %l1, %scale fastmath<reassoc> : bf16
  llvm.store volatile %p0, %out : bf16, !llvm.ptr
  llvm.store volatile %p1, %out : bf16, !llvm.ptr
  gpu.return
}
}
