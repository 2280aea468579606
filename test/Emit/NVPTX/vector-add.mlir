// RUN: tile-translate --tile-to-ptx %s | FileCheck %s
// RUN: tile-translate --tile-to-gpu-metadata %s | FileCheck %s --check-prefix=META
// RUN: sed s/sm_90a/sm_80/ %s | tile-translate --tile-to-ptx | FileCheck %s --check-prefix=SM80
// RUN: sed s/sm_90a/sm_120/ %s | tile-translate --tile-to-ptx | FileCheck %s --check-prefix=SM120

// CHECK: .version 8.7
// CHECK: .target sm_90a
// CHECK: .entry add(
// CHECK: .maxntid 256, 1, 1
// CHECK: .minnctapersm 1
// CHECK-NOT: .reqntid
// CHECK-DAG: ld.global.nc.v4.b32
// CHECK-DAG: ld.global.nc.v4.b32
// CHECK: add.rn.f32
// CHECK: st.global.v4.b32
// CHECK: ret;

// META: "block": [
// META-NEXT: 256
// META: "kernel": "add"

// SM80: .version 7.8
// SM80: .target sm_80
// SM120: .version 8.8
// SM120: .target sm_120
gpu.module @device attributes {tile.target = #tile.target<"sm_90a">} {
  gpu.func @add(%a: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %b: !llvm.ptr<1> {llvm.noalias, llvm.readonly},
                %c: !llvm.ptr<1> {llvm.noalias}, %n: i32) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>,
                  tile.launch = #tile.launch<kernel = "add", function = "vector_add", block = [256]>} {
    %four = arith.constant 4 : i32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %size = gpu.block_dim x
    %base = arith.muli %block, %size : index
    %at = arith.addi %base, %thread : index
    %word = arith.index_cast %at : index to i32
    %i = arith.muli %word, %four : i32
    %inside = arith.cmpi slt, %i, %n : i32
    scf.if %inside {
      %pa = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %pb = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %pc = llvm.getelementptr %c[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %x = llvm.load %pa {alignment = 16} : !llvm.ptr<1> -> vector<4xf32>
      %y = llvm.load %pb {alignment = 16} : !llvm.ptr<1> -> vector<4xf32>
      %z = arith.addf %x, %y : vector<4xf32>
      llvm.store %z, %pc {alignment = 16} : vector<4xf32>, !llvm.ptr<1>
    }
    gpu.return
  }
}
