// Numbers of one bit: 1 is -1 to signed ops, and sums wrap. Uniform scalars, of which NPUs make C++.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=ascend | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: {{^}}5 passed, 0 failed{{$}}

// Each result is weighted by a power of three, so that the sum tells which one is wrong. A and B are cut to their lowest bit.
func.func @bits(%a: index {tile.shape = "A"}, %b: index {tile.shape = "B"}, %y: memref<32xi32> {tile.result})
    attributes {tile.reference = @bits_reference, tile.cases = ["A=0 B=0", "A=2 B=1", "A=1 B=4", "A=3 B=5", "A=7 B=6"]} {
  %three = arith.constant 3 : i32
  tile.kernel (%block) in (1) {
    %wa = arith.index_cast %a : index to i32
    %wb = arith.index_cast %b : index to i32
    %p = arith.trunci %wa : i32 to i1
    %q = arith.trunci %wb : i32 to i1
    %0 = arith.extsi %p : i1 to i32
    %1 = arith.extui %p : i1 to i32
    %i = arith.index_cast %q : i1 to index
    %2 = arith.index_cast %i : index to i32
    %f = arith.sitofp %q : i1 to f32
    %3 = arith.fptosi %f : f32 to i32
    %r4 = arith.addi %p, %q : i1
    %4 = arith.extui %r4 : i1 to i32
    %r5 = arith.subi %p, %q : i1
    %5 = arith.extui %r5 : i1 to i32
    %r6 = arith.muli %p, %q : i1
    %6 = arith.extui %r6 : i1 to i32
    %r7 = arith.maxsi %p, %q : i1
    %7 = arith.extui %r7 : i1 to i32
    %r8 = arith.minsi %p, %q : i1
    %8 = arith.extui %r8 : i1 to i32
    %r9 = arith.maxui %p, %q : i1
    %9 = arith.extui %r9 : i1 to i32
    %r10 = arith.minui %p, %q : i1
    %10 = arith.extui %r10 : i1 to i32
    %r11 = arith.cmpi slt, %p, %q : i1
    %11 = arith.extui %r11 : i1 to i32
    %r12 = arith.cmpi sle, %p, %q : i1
    %12 = arith.extui %r12 : i1 to i32
    %r13 = arith.cmpi sgt, %p, %q : i1
    %13 = arith.extui %r13 : i1 to i32
    %r14 = arith.cmpi ult, %p, %q : i1
    %14 = arith.extui %r14 : i1 to i32
    %r15 = arith.cmpi eq, %p, %q : i1
    %15 = arith.extui %r15 : i1 to i32
    %r16 = arith.cmpi ne, %p, %q : i1
    %16 = arith.extui %r16 : i1 to i32
    %m1 = arith.muli %0, %three : i32
    %s1 = arith.addi %m1, %1 : i32
    %m2 = arith.muli %s1, %three : i32
    %s2 = arith.addi %m2, %2 : i32
    %m3 = arith.muli %s2, %three : i32
    %s3 = arith.addi %m3, %3 : i32
    %m4 = arith.muli %s3, %three : i32
    %s4 = arith.addi %m4, %4 : i32
    %m5 = arith.muli %s4, %three : i32
    %s5 = arith.addi %m5, %5 : i32
    %m6 = arith.muli %s5, %three : i32
    %s6 = arith.addi %m6, %6 : i32
    %m7 = arith.muli %s6, %three : i32
    %s7 = arith.addi %m7, %7 : i32
    %m8 = arith.muli %s7, %three : i32
    %s8 = arith.addi %m8, %8 : i32
    %m9 = arith.muli %s8, %three : i32
    %s9 = arith.addi %m9, %9 : i32
    %m10 = arith.muli %s9, %three : i32
    %s10 = arith.addi %m10, %10 : i32
    %m11 = arith.muli %s10, %three : i32
    %s11 = arith.addi %m11, %11 : i32
    %m12 = arith.muli %s11, %three : i32
    %s12 = arith.addi %m12, %12 : i32
    %m13 = arith.muli %s12, %three : i32
    %s13 = arith.addi %m13, %13 : i32
    %m14 = arith.muli %s13, %three : i32
    %s14 = arith.addi %m14, %14 : i32
    %m15 = arith.muli %s14, %three : i32
    %s15 = arith.addi %m15, %15 : i32
    %m16 = arith.muli %s15, %three : i32
    %s16 = arith.addi %m16, %16 : i32
    %t = tile.alloc : memref<32xi32, #tile.shared>
    tile.fill %t, %s16 : memref<32xi32, #tile.shared>
    tile.copy %t, %y : memref<32xi32, #tile.shared>, memref<32xi32>
  }
  return
}

func.func @bits_reference(%a: index, %b: index, %y: memref<32xi32>) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %wa = arith.index_cast %a : index to i32
  %wb = arith.index_cast %b : index to i32
  %u = arith.andi %wa, %one : i32
  %v = arith.andi %wb, %one : i32
  %su = arith.subi %zero, %u : i32
  %sv = arith.subi %zero, %v : i32
  %t0 = arith.xori %u, %v : i32
  %t1 = arith.xori %u, %v : i32
  %t2 = arith.andi %u, %v : i32
  %t3 = arith.andi %u, %v : i32
  %t4 = arith.ori %u, %v : i32
  %t5 = arith.ori %u, %v : i32
  %t6 = arith.andi %u, %v : i32
  %c7 = arith.cmpi sgt, %u, %v : i32
  %t7 = arith.select %c7, %one, %zero : i32
  %c8 = arith.cmpi sge, %u, %v : i32
  %t8 = arith.select %c8, %one, %zero : i32
  %c9 = arith.cmpi slt, %u, %v : i32
  %t9 = arith.select %c9, %one, %zero : i32
  %c10 = arith.cmpi slt, %u, %v : i32
  %t10 = arith.select %c10, %one, %zero : i32
  %c11 = arith.cmpi eq, %u, %v : i32
  %t11 = arith.select %c11, %one, %zero : i32
  %c12 = arith.cmpi ne, %u, %v : i32
  %t12 = arith.select %c12, %one, %zero : i32
  %m1 = arith.muli %su, %three : i32
  %s1 = arith.addi %m1, %u : i32
  %m2 = arith.muli %s1, %three : i32
  %s2 = arith.addi %m2, %sv : i32
  %m3 = arith.muli %s2, %three : i32
  %s3 = arith.addi %m3, %sv : i32
  %m4 = arith.muli %s3, %three : i32
  %s4 = arith.addi %m4, %t0 : i32
  %m5 = arith.muli %s4, %three : i32
  %s5 = arith.addi %m5, %t1 : i32
  %m6 = arith.muli %s5, %three : i32
  %s6 = arith.addi %m6, %t2 : i32
  %m7 = arith.muli %s6, %three : i32
  %s7 = arith.addi %m7, %t3 : i32
  %m8 = arith.muli %s7, %three : i32
  %s8 = arith.addi %m8, %t4 : i32
  %m9 = arith.muli %s8, %three : i32
  %s9 = arith.addi %m9, %t5 : i32
  %m10 = arith.muli %s9, %three : i32
  %s10 = arith.addi %m10, %t6 : i32
  %m11 = arith.muli %s10, %three : i32
  %s11 = arith.addi %m11, %t7 : i32
  %m12 = arith.muli %s11, %three : i32
  %s12 = arith.addi %m12, %t8 : i32
  %m13 = arith.muli %s12, %three : i32
  %s13 = arith.addi %m13, %t9 : i32
  %m14 = arith.muli %s13, %three : i32
  %s14 = arith.addi %m14, %t10 : i32
  %m15 = arith.muli %s14, %three : i32
  %s15 = arith.addi %m15, %t11 : i32
  %m16 = arith.muli %s15, %three : i32
  %s16 = arith.addi %m16, %t12 : i32
  affine.for %k = 0 to 32 {
    affine.store %s16, %y[%k] : memref<32xi32>
  }
  return
}
