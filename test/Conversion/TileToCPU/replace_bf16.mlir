// RUN: tile-opt %s --tile-replace-bf16 | FileCheck %s

// Bits of constants, types of memory and of globals.
// CHECK: llvm.mlir.global internal constant @table(dense<[16256, -16512]> : tensor<2xi16>) {{.*}} : !llvm.array<2 x i16>
llvm.mlir.global internal constant @table(dense<[1.0, -1.0]> : tensor<2xbf16>) : !llvm.array<2 x bf16>

// CHECK-LABEL: llvm.func @choose(%arg0: i1, %arg1: !llvm.ptr, %arg2: i16) -> vector<4xi16>
// The source of the function is described as it was.
// CHECK-SAME: types = [bf16]
// CHECK: llvm.mlir.constant(16448 : i16) : i16
// CHECK: llvm.mlir.constant(dense<32704> : vector<4xi16>) : vector<4xi16>
// CHECK: llvm.select %arg0, %arg2, {{.*}} : i1, i16
// CHECK: llvm.getelementptr %arg1[1] : (!llvm.ptr) -> !llvm.ptr, i16
// CHECK: llvm.br ^bb1({{.*}} : i16)
// CHECK: ^bb1(%{{.*}}: i16):
// CHECK: llvm.store {{.*}} : i16, !llvm.ptr
llvm.func @choose(%condition: i1, %x: !llvm.ptr, %y: bf16) -> vector<4xbf16> attributes {types = [bf16]} {
  %three = llvm.mlir.constant(3.0 : bf16) : bf16
  %nan = llvm.mlir.constant(dense<0x7FC0> : vector<4xbf16>) : vector<4xbf16>
  %chosen = llvm.select %condition, %y, %three : i1, bf16
  %at = llvm.getelementptr %x[1] : (!llvm.ptr) -> !llvm.ptr, bf16
  llvm.br ^next(%chosen : bf16)
^next(%z: bf16):
  llvm.store %z, %at : bf16, !llvm.ptr
  llvm.return %nan : vector<4xbf16>
}

// What another program defines is called as it was compiled.
// CHECK: llvm.func @other(bf16, i32) -> bf16
llvm.func @other(bf16, i32) -> bf16
// CHECK-LABEL: llvm.func @call(%arg0: i16, %arg1: i32) -> i16
// CHECK: %[[X:.*]] = llvm.bitcast %arg0 : i16 to bf16
// CHECK: %[[Y:.*]] = llvm.call @other(%[[X]], %arg1) : (bf16, i32) -> bf16
// CHECK: %[[R:.*]] = llvm.bitcast %[[Y]] : bf16 to i16
// CHECK: llvm.return %[[R]] : i16
llvm.func @call(%x: bf16, %n: i32) -> bf16 {
  %y = llvm.call @other(%x, %n) : (bf16, i32) -> bf16
  llvm.return %y : bf16
}
