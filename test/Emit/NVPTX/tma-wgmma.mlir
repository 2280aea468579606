// RUN: tile-translate --tile-to-ptx %s | FileCheck %s
// RUN: %if ptxas %{ tile-translate --tile-to-cubin --ptxas-strict %s -o %t.cubin %}

// A tile by the tensor copy engine, then a product with an accumulator that
// goes around a loop. Descriptors stay in constant memory; the loop that says so
// is not unrolled.
// CHECK: .param .align 64 .b8 product_param_0[128]
// CHECK: .maxntid 128, 1, 1
// CHECK-NOT: .local
// CHECK: mbarrier.init.shared.b64
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// CHECK: mbarrier.try_wait
// CHECK: .pragma "nounroll"
// CHECK: wgmma.fence.sync.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0
gpu.module @device attributes {tile.target = #tile.target<"sm_90a">} {
  llvm.mlir.global external @tile_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  gpu.func @product(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64},
                    %out: !llvm.ptr<1> {llvm.noalias}, %da: i64, %db: i64, %steps: i32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tile.launch = #tile.launch<kernel = "product">} {
    %shared = llvm.mlir.addressof @tile_shared : !llvm.ptr<3>
    %bar = llvm.getelementptr %shared[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %tile = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = arith.constant 8192 : i32
    %thread = gpu.thread_id x
    %t = arith.index_cast %thread : index to i32
    %first = arith.cmpi eq, %t, %zero : i32
    scf.if %first {
      nvvm.mbarrier.init %bar, %one : !llvm.ptr<3>, i32
      nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
      nvvm.cp.async.bulk.tensor.shared.cluster.global %tile, %map, %bar, box[%zero, %zero] : !llvm.ptr<7>, !llvm.ptr
    }
    gpu.barrier
    scf.while : () -> () {
      %done = nvvm.mbarrier.try_wait %bar, %zero : !llvm.ptr<3>, i32 -> i1
      %true = arith.constant true
      %again = arith.xori %done, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    %acc = arith.constant dense<0.0> : vector<8xf32>
    %sum = scf.for %i = %zero to %steps step %one iter_args(%c = %acc) -> (vector<8xf32>) : i32 {
      %c0 = vector.extract %c[0] : f32 from vector<8xf32>
      %c1 = vector.extract %c[1] : f32 from vector<8xf32>
      %c2 = vector.extract %c[2] : f32 from vector<8xf32>
      %c3 = vector.extract %c[3] : f32 from vector<8xf32>
      %c4 = vector.extract %c[4] : f32 from vector<8xf32>
      %c5 = vector.extract %c[5] : f32 from vector<8xf32>
      %c6 = vector.extract %c[6] : f32 from vector<8xf32>
      %c7 = vector.extract %c[7] : f32 from vector<8xf32>
      nvvm.wgmma.fence.aligned
      %r = llvm.inline_asm has_side_effects asm_dialect = att
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, $16, $17, 1, 1, 1, 0, 0;",
        "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l" %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %da, %db
        : (f32, f32, f32, f32, f32, f32, f32, f32, i64, i64) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      %r0 = llvm.extractvalue %r[0] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %r1 = llvm.extractvalue %r[1] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %r2 = llvm.extractvalue %r[2] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %r3 = llvm.extractvalue %r[3] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %r4 = llvm.extractvalue %r[4] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %r5 = llvm.extractvalue %r[5] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %r6 = llvm.extractvalue %r[6] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %r7 = llvm.extractvalue %r[7] : !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
      %next = vector.from_elements %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 : vector<8xf32>
      scf.yield %next : vector<8xf32>
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    %po = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf32>
    llvm.store %sum, %po {alignment = 16} : vector<8xf32>, !llvm.ptr<1>
    gpu.return
  }
}
