// RUN: tile-translate --mlir-to-hivm %s | FileCheck %s

// Vector code and products as text of AscendNPU-IR: no addresses, no flags, no L0A and L0B.

!gm = memref<?xf32>
!part = memref<?xf32, strided<[1], offset: ?>>
!tile = memref<64xf32, #tile.ub>

// CHECK-LABEL: func.func @add_kernel(
// CHECK-SAME:  memref<?xf32, #hivm.address_space<gm>>
// CHECK-SAME:  attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, hivm.func_core_type = #hivm.func_core_type<AIV>} {
// CHECK:       %[[N:.*]] = hivm.hir.get_block_idx -> i64
// CHECK-NEXT:  %[[B:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK-NEXT:  %[[X:.*]] = memref.alloc() : memref<64xf32, #hivm.address_space<ub>>
// CHECK-NEXT:  %[[H:.*]] = memref.alloc() : memref<64xf16, #hivm.address_space<ub>>
// CHECK-NEXT:  affine.apply affine_map<(d0) -> (d0 * 64)>(%[[B]])
// CHECK:       %[[GA:.*]] = memref.subview %{{.*}} : memref<?xf32, #hivm.address_space<gm>> to memref<?xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>
// CHECK:       scf.if %{{.*}} {
// CHECK-NEXT:    hivm.hir.vbrc ins(%[[Z:.*]] : f32) outs(%[[X]] : memref<64xf32, #hivm.address_space<ub>>)
// CHECK-NEXT:  }
// CHECK-NEXT:  hivm.hir.load ins(%[[GA]] : memref<?xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>) outs(%[[X]] : memref<64xf32, #hivm.address_space<ub>>) pad_mode = <PadValue> pad_value = %[[Z]] : f32
// CHECK-NOT:   flag
// CHECK-NEXT:  hivm.hir.vadd ins(%[[X]], %[[X]] : memref<64xf32, #hivm.address_space<ub>>, memref<64xf32, #hivm.address_space<ub>>) outs(%[[X]] :
// CHECK-NEXT:  hivm.hir.vmul ins(%[[X]], %{{.*}} : memref<64xf32, #hivm.address_space<ub>>, f32) outs(%[[X]] :
// CHECK-NEXT:  hivm.hir.vexp ins(%[[X]] :
// CHECK-NEXT:  hivm.hir.vcast ins(%[[X]] : memref<64xf32, #hivm.address_space<ub>>) outs(%[[H]] : memref<64xf16, #hivm.address_space<ub>>) round_mode = <rint>
// CHECK-NEXT:  hivm.hir.vcast ins(%[[H]] : memref<64xf16, #hivm.address_space<ub>>) outs(%[[X]] : memref<64xf32, #hivm.address_space<ub>>){{$}}
// CHECK-NEXT:  hivm.hir.store ins(%[[X]] :
// CHECK-NEXT:  return
func.func @add(%a: !gm, %s: f32) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %a, %c0 : !gm
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  tile.kernel (%b) in (%blocks) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %h = tile.alloc {ascend.address = 256 : i64} : memref<64xf16, #tile.ub>
    %at = affine.apply affine_map<(b) -> (b * 64)>(%b)
    %size = affine.min affine_map<(b)[n] -> (n - b * 64, 64)>(%b)[%n]
    %ga = memref.subview %a[%at] [%size] [1] : !gm to !part
    %less = arith.cmpi slt, %size, %c64 : index
    scf.if %less {
      ascend.duplicate %x, %zero : !tile, f32
      ascend.pipe_barrier all
    }
    ascend.copy_gm_to_ub %x, %ga pad(%zero : f32) : !tile, !part
    ascend.set_flag mte2 to v id(0)
    ascend.wait_flag mte2 to v id(0)
    ascend.binary add %x, %x, %x : !tile, !tile, !tile
    ascend.scalar muls %x, %x, %s : !tile, !tile, f32
    ascend.unary exp %x, %x : !tile, !tile
    ascend.cast rint %h, %x : memref<64xf16, #tile.ub>, !tile
    ascend.cast none %x, %h : !tile, memref<64xf16, #tile.ub>
    ascend.copy_ub_to_gm %ga, %x : !part, !tile
  }
  return
}

// Coordinates of the block, a reduction, a copy.
// CHECK-LABEL: func.func @rows_kernel(
// CHECK:       %[[N:.*]] = hivm.hir.get_block_idx -> i64
// CHECK-NEXT:  %[[B:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK:       arith.remsi %[[B]],
// CHECK:       arith.divsi %[[B]],
// CHECK:       %[[COLUMN:.*]] = memref.expand_shape %[[R:.*]] {{\[\[}}0, 1]] output_shape [16, 1] : memref<16xf32, #hivm.address_space<ub>> into memref<16x1xf32, #hivm.address_space<ub>>
// CHECK-NEXT:  hivm.hir.vreduce <max> ins(%[[X:.*]] : memref<16x64xf32, #hivm.address_space<ub>>) outs(%[[COLUMN]] : memref<16x1xf32, #hivm.address_space<ub>>) reduce_dims = [1]
// CHECK-NEXT:  hivm.hir.copy ins(%[[X]] :
func.func @rows(%o: memref<4x8x16xf32>) {
  tile.kernel (%i, %j) in (8, 4) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %y = tile.alloc : memref<16x64xf32, #tile.ub>
    %r = tile.alloc : memref<16xf32, #tile.ub>
    ascend.reduce max %r, %x : memref<16xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
    ascend.copy_ub %y, %x : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
    %part = memref.subview %o[%j, %i, 0] [1, 1, 16] [1, 1, 1] : memref<4x8x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    ascend.copy_ub_to_gm %part, %r : memref<16xf32, strided<[1], offset: ?>>, memref<16xf32, #tile.ub>
  }
  return
}

// A product loads its operands from L1 itself, and begins the sum in the first iteration.
// CHECK-LABEL: func.func @gemm_kernel(
// CHECK-SAME:  hivm.func_core_type = #hivm.func_core_type<AIC>
// CHECK:       %[[A:.*]] = memref.alloc() : memref<64x32xf16, #hivm.address_space<cbuf>>
// CHECK-NEXT:  %[[B:.*]] = memref.alloc() : memref<64x32xf16, #hivm.address_space<cbuf>>
// CHECK-NEXT:  %[[C:.*]] = memref.alloc() : memref<64x64xf32, #hivm.address_space<cc>>
// CHECK-NOT:   memref.alloc
// CHECK:       scf.for %[[K:.*]] = %[[LOWER:.*]] to %{{.*}} step %{{.*}} {
// CHECK-NEXT:    %[[FIRST:.*]] = arith.cmpi eq, %[[K]], %[[LOWER]] : index
// CHECK:         hivm.hir.nd2nz {dst_continuous} ins(%{{.*}} : memref<64x32xf16, strided<[128, 1], offset: ?>, #hivm.address_space<gm>>) outs(%[[A]] :
// CHECK:         hivm.hir.mmadL1 {b_transpose} ins(%[[A]], %[[B]], %[[FIRST]], %{{.*}}, %{{.*}}, %{{.*}} : memref<64x32xf16, #hivm.address_space<cbuf>>, memref<64x32xf16, #hivm.address_space<cbuf>>, i1, index, index, index) outs(%[[C]] : memref<64x64xf32, #hivm.address_space<cc>>)
// CHECK:       hivm.hir.fixpipe {dma_mode = #hivm.dma_mode<nz2nd>, pre_quant = #hivm.fixpipe_pre_quant_mode<F322F16>} ins(%[[C]] : memref<64x64xf32, #hivm.address_space<cc>>) outs(%{{.*}} : memref<64x64xf16, #hivm.address_space<gm>>)
func.func @gemm(%a: memref<64x128xf16>, %b: memref<64x128xf16>, %o: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f16
  %true = arith.constant true
  %false = arith.constant false
  tile.kernel (%x) in (1) {
    %as = tile.alloc : memref<64x32xf16, #tile.l1>
    %bs = tile.alloc : memref<64x32xf16, #tile.l1>
    %left = tile.alloc : memref<64x32xf16, #tile.l0a>
    %right = tile.alloc : memref<32x64xf16, #tile.l0b>
    %c = tile.alloc : memref<64x64xf32, #tile.l0c>
    ascend.fill_l0a %left, %zero : memref<64x32xf16, #tile.l0a>, f16
    ascend.fill_l0b %right, %zero : memref<32x64xf16, #tile.l0b>, f16
    ascend.mmad %c, %left, %right init(%true) : memref<64x64xf32, #tile.l0c>, memref<64x32xf16, #tile.l0a>, memref<32x64xf16, #tile.l0b>
    scf.for %k = %c0 to %c4 step %c1 {
      %at = affine.apply affine_map<(k) -> (k * 32)>(%k)
      %ga = memref.subview %a[0, %at] [64, 32] [1, 1] : memref<64x128xf16> to memref<64x32xf16, strided<[128, 1], offset: ?>>
      %gb = memref.subview %b[0, %at] [64, 32] [1, 1] : memref<64x128xf16> to memref<64x32xf16, strided<[128, 1], offset: ?>>
      ascend.copy_gm_to_l1 %as, %ga : memref<64x32xf16, #tile.l1>, memref<64x32xf16, strided<[128, 1], offset: ?>>
      ascend.copy_gm_to_l1 %bs, %gb : memref<64x32xf16, #tile.l1>, memref<64x32xf16, strided<[128, 1], offset: ?>>
      ascend.load_l0a %left, %as : memref<64x32xf16, #tile.l0a>, memref<64x32xf16, #tile.l1>
      ascend.load_l0b %right, %bs {transpose} : memref<32x64xf16, #tile.l0b>, memref<64x32xf16, #tile.l1>
      ascend.mmad %c, %left, %right init(%false) : memref<64x64xf32, #tile.l0c>, memref<64x32xf16, #tile.l0a>, memref<32x64xf16, #tile.l0b>
    }
    ascend.fixpipe %o, %c : memref<64x64xf16>, memref<64x64xf32, #tile.l0c>
  }
  return
}
