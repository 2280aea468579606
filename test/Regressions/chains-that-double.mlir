// Each op uses the number before it twice, as hashes and generators of random numbers do: without a memory of what was asked, or
// with expressions that grow, analyses took time that doubled with each op.
//
// RUN: %if cpu %{ tile-opt-plain --tile-to-cpu-pipeline %s -o /dev/null %}
// RUN: %if nvidia %{ tile-opt-plain --tile-to-nvvm-pipeline=chip=sm_90a %s -o /dev/null %}
// RUN: %if ascend %{ tile-opt-plain --tile-verify-semantics --tile-legalize-accesses %s -o /dev/null %}

func.func @xorshift(%x: memref<?xf32>, %s: index, %v: f32) {
  %c5 = arith.constant 5 : index
  %c13 = arith.constant 13 : index
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (32) {
      %a0 = arith.xori %s, %i : index
      %s1 = arith.shli %a0, %c5 : index
      %a1 = arith.addi %a0, %s1 : index
      %s2 = arith.shli %a1, %c13 : index
      %a2 = arith.addi %a1, %s2 : index
      %s3 = arith.shli %a2, %c5 : index
      %a3 = arith.addi %a2, %s3 : index
      %s4 = arith.shli %a3, %c13 : index
      %a4 = arith.addi %a3, %s4 : index
      %s5 = arith.shli %a4, %c5 : index
      %a5 = arith.addi %a4, %s5 : index
      %s6 = arith.shli %a5, %c13 : index
      %a6 = arith.addi %a5, %s6 : index
      %s7 = arith.shli %a6, %c5 : index
      %a7 = arith.addi %a6, %s7 : index
      %s8 = arith.shli %a7, %c13 : index
      %a8 = arith.addi %a7, %s8 : index
      %s9 = arith.shli %a8, %c5 : index
      %a9 = arith.addi %a8, %s9 : index
      %s10 = arith.shli %a9, %c13 : index
      %a10 = arith.addi %a9, %s10 : index
      %s11 = arith.shli %a10, %c5 : index
      %a11 = arith.addi %a10, %s11 : index
      %s12 = arith.shli %a11, %c13 : index
      %a12 = arith.addi %a11, %s12 : index
      %s13 = arith.shli %a12, %c5 : index
      %a13 = arith.addi %a12, %s13 : index
      %s14 = arith.shli %a13, %c13 : index
      %a14 = arith.addi %a13, %s14 : index
      %s15 = arith.shli %a14, %c5 : index
      %a15 = arith.addi %a14, %s15 : index
      %s16 = arith.shli %a15, %c13 : index
      %a16 = arith.addi %a15, %s16 : index
      %s17 = arith.shli %a16, %c5 : index
      %a17 = arith.addi %a16, %s17 : index
      %s18 = arith.shli %a17, %c13 : index
      %a18 = arith.addi %a17, %s18 : index
      %s19 = arith.shli %a18, %c5 : index
      %a19 = arith.addi %a18, %s19 : index
      %s20 = arith.shli %a19, %c13 : index
      %a20 = arith.addi %a19, %s20 : index
      %s21 = arith.shli %a20, %c5 : index
      %a21 = arith.addi %a20, %s21 : index
      %s22 = arith.shli %a21, %c13 : index
      %a22 = arith.addi %a21, %s22 : index
      %s23 = arith.shli %a22, %c5 : index
      %a23 = arith.addi %a22, %s23 : index
      %s24 = arith.shli %a23, %c13 : index
      %a24 = arith.addi %a23, %s24 : index
      %p = arith.remui %a24, %s : index
      memref.store %v, %x[%p] : memref<?xf32>
    }
  }
  return
}

func.func @squares(%x: memref<?xf32>, %s: index, %v: f32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (32) {
      %a0 = arith.subi %s, %i : index
      %a1 = arith.muli %a0, %a0 : index
      %a2 = arith.muli %a1, %a1 : index
      %a3 = arith.muli %a2, %a2 : index
      %a4 = arith.muli %a3, %a3 : index
      %a5 = arith.muli %a4, %a4 : index
      %a6 = arith.muli %a5, %a5 : index
      %a7 = arith.muli %a6, %a6 : index
      %a8 = arith.muli %a7, %a7 : index
      %a9 = arith.muli %a8, %a8 : index
      %a10 = arith.muli %a9, %a9 : index
      %a11 = arith.muli %a10, %a10 : index
      %a12 = arith.muli %a11, %a11 : index
      %a13 = arith.muli %a12, %a12 : index
      %a14 = arith.muli %a13, %a13 : index
      %a15 = arith.muli %a14, %a14 : index
      %a16 = arith.muli %a15, %a15 : index
      %a17 = arith.muli %a16, %a16 : index
      %a18 = arith.muli %a17, %a17 : index
      %a19 = arith.muli %a18, %a18 : index
      %a20 = arith.muli %a19, %a19 : index
      %a21 = arith.muli %a20, %a20 : index
      %a22 = arith.muli %a21, %a21 : index
      %a23 = arith.muli %a22, %a22 : index
      %a24 = arith.muli %a23, %a23 : index
      %a25 = arith.muli %a24, %a24 : index
      %a26 = arith.muli %a25, %a25 : index
      %a27 = arith.muli %a26, %a26 : index
      %a28 = arith.muli %a27, %a27 : index
      %a29 = arith.muli %a28, %a28 : index
      %a30 = arith.muli %a29, %a29 : index
      %a31 = arith.muli %a30, %a30 : index
      %a32 = arith.muli %a31, %a31 : index
      %a33 = arith.muli %a32, %a32 : index
      %a34 = arith.muli %a33, %a33 : index
      %a35 = arith.muli %a34, %a34 : index
      %a36 = arith.muli %a35, %a35 : index
      %a37 = arith.muli %a36, %a36 : index
      %a38 = arith.muli %a37, %a37 : index
      %a39 = arith.muli %a38, %a38 : index
      %a40 = arith.muli %a39, %a39 : index
      memref.store %v, %x[%a40] : memref<?xf32>
    }
  }
  return
}
