// REQUIRES: tile-run
// RUN: sed -e 's/TYPE/i8/g; s/LOW/-128/g; s/HIGH/127/g; s/SHIFT/3/g' %s > %t.i8.mlir
// RUN: tile-run --target=ascend %t.i8.mlir | FileCheck %s
// RUN: sed -e 's/TYPE/i16/g; s/LOW/-32768/g; s/HIGH/32767/g; s/SHIFT/9/g' %s > %t.i16.mlir
// RUN: tile-run --target=ascend %t.i16.mlir | FileCheck %s
// RUN: sed -e 's/TYPE/i32/g; s/LOW/-2147483648/g; s/HIGH/2147483647/g; s/SHIFT/21/g' %s > %t.i32.mlir
// RUN: tile-run --target=ascend %t.i32.mlir | FileCheck %s

// Integers of 8, 16 and 32 bits on the Ascend model: sums and products wrap, bits, shifts with and without sign, comparisons
// of both kinds, on whole tiles and on tails. Everything is exact.

// CHECK-NOT: FAIL
// CHECK: {{^}}9 passed, 0 failed

!vector = memref<?xTYPE>
!tile = memref<300xTYPE, #tile.shared>

func.func @arithmetic(
    %x: !vector {tile.shape = "N", tile.init = "integers(LOW,HIGH)"},
    %y: !vector {tile.shape = "N", tile.init = "integers(LOW,HIGH)"}, %r: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @arithmetic_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=300", "N=1021", "N=1"]} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : TYPE
  %n = memref.dim %x, %c0 : !vector
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 300)>(%n)
  tile.kernel (%b) in (%blocks) {
    %xs = tile.alloc : !tile
    %ys = tile.alloc : !tile
    tile.copy %x[%b * 300], %xs : !vector, !tile
    tile.copy %y[%b * 300], %ys : !vector, !tile
    tile.parallel (%i) in (300) {
      %a = memref.load %xs[%i] : !tile
      %c = memref.load %ys[%i] : !tile
      %sum = arith.addi %a, %c : TYPE
      %product = arith.muli %sum, %c : TYPE
      %difference = arith.subi %product, %a : TYPE
      %scaled = arith.muli %difference, %c7 : TYPE
      %from = arith.subi %c7, %scaled : TYPE
      %less = arith.subi %from, %c7 : TYPE
      memref.store %less, %xs[%i] : !tile
    }
    tile.copy %xs, %r[%b * 300] : !tile, !vector
  }
  return
}

func.func @arithmetic_reference(%x: !vector, %y: !vector, %r: !vector) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : TYPE
  %n = memref.dim %x, %c0 : !vector
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : !vector
    %c = affine.load %y[%i] : !vector
    %sum = arith.addi %a, %c : TYPE
    %product = arith.muli %sum, %c : TYPE
    %difference = arith.subi %product, %a : TYPE
    %scaled = arith.muli %difference, %c7 : TYPE
    %from = arith.subi %c7, %scaled : TYPE
    %less = arith.subi %from, %c7 : TYPE
    affine.store %less, %r[%i] : !vector
  }
  return
}

func.func @bits(
    %x: !vector {tile.shape = "N", tile.init = "integers(LOW,HIGH)"},
    %y: !vector {tile.shape = "N", tile.init = "integers(LOW,HIGH)"}, %r: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @bits_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=300", "N=1021", "N=1"]} {
  %c0 = arith.constant 0 : index
  %mask = arith.constant 85 : TYPE
  %shift = arith.constant SHIFT : TYPE
  %one = arith.constant 1 : TYPE
  %n = memref.dim %x, %c0 : !vector
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 300)>(%n)
  tile.kernel (%b) in (%blocks) {
    %xs = tile.alloc : !tile
    %ys = tile.alloc : !tile
    tile.copy %x[%b * 300], %xs : !vector, !tile
    tile.copy %y[%b * 300], %ys : !vector, !tile
    tile.parallel (%i) in (300) {
      %a = memref.load %xs[%i] : !tile
      %c = memref.load %ys[%i] : !tile
      %right = arith.shrui %a, %shift : TYPE
      %signed = arith.shrsi %c, %shift : TYPE
      %left = arith.shli %c, %one : TYPE
      %xor = arith.xori %right, %signed : TYPE
      %masked = arith.andi %xor, %mask : TYPE
      %or = arith.ori %masked, %left : TYPE
      %both = arith.andi %or, %a : TYPE
      %flipped = arith.xori %both, %mask : TYPE
      memref.store %flipped, %ys[%i] : !tile
    }
    tile.copy %ys, %r[%b * 300] : !tile, !vector
  }
  return
}

func.func @bits_reference(%x: !vector, %y: !vector, %r: !vector) {
  %c0 = arith.constant 0 : index
  %mask = arith.constant 85 : TYPE
  %shift = arith.constant SHIFT : TYPE
  %one = arith.constant 1 : TYPE
  %n = memref.dim %x, %c0 : !vector
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : !vector
    %c = affine.load %y[%i] : !vector
    %right = arith.shrui %a, %shift : TYPE
    %signed = arith.shrsi %c, %shift : TYPE
    %left = arith.shli %c, %one : TYPE
    %xor = arith.xori %right, %signed : TYPE
    %masked = arith.andi %xor, %mask : TYPE
    %or = arith.ori %masked, %left : TYPE
    %both = arith.andi %or, %a : TYPE
    %flipped = arith.xori %both, %mask : TYPE
    affine.store %flipped, %r[%i] : !vector
  }
  return
}

// Each condition adds a bit of its own; those of both comparisons count on.
func.func @order(
    %x: !vector {tile.shape = "N", tile.init = "integers(LOW,HIGH)"},
    %y: !vector {tile.shape = "N", tile.init = "integers(LOW,HIGH)"}, %r: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @order_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=300", "N=1021", "N=1"]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : TYPE
  %n = memref.dim %x, %c0 : !vector
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 300)>(%n)
  tile.kernel (%b) in (%blocks) {
    %xs = tile.alloc : !tile
    %ys = tile.alloc : !tile
    tile.copy %x[%b * 300], %xs : !vector, !tile
    tile.copy %y[%b * 300], %ys : !vector, !tile
    tile.parallel (%i) in (300) {
      %a = memref.load %xs[%i] : !tile
      %c = memref.load %ys[%i] : !tile
      %slt = arith.cmpi slt, %a, %c : TYPE
      %uge = arith.cmpi uge, %a, %c : TYPE
      %sle = arith.cmpi sle, %c2, %a : TYPE
      %ugt = arith.cmpi ugt, %c, %c2 : TYPE
      %ne = arith.cmpi ne, %a, %c2 : TYPE
      %and = arith.andi %slt, %uge : i1
      %or = arith.ori %sle, %ugt : i1
      %xor = arith.xori %or, %ne : i1
      %smax = arith.maxsi %a, %c : TYPE
      %umin = arith.minui %a, %c : TYPE
      %umax = arith.maxui %umin, %c2 : TYPE
      %first = arith.select %and, %smax, %umax : TYPE
      %second = arith.select %xor, %first, %c2 : TYPE
      %flag = arith.extui %sle : i1 to TYPE
      %sum = arith.addi %second, %flag : TYPE
      %low = arith.trunci %a : TYPE to i1
      %third = arith.select %low, %sum, %a : TYPE
      memref.store %third, %ys[%i] : !tile
    }
    tile.copy %ys, %r[%b * 300] : !tile, !vector
  }
  return
}

func.func @order_reference(%x: !vector, %y: !vector, %r: !vector) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : TYPE
  %n = memref.dim %x, %c0 : !vector
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : !vector
    %c = affine.load %y[%i] : !vector
    %slt = arith.cmpi slt, %a, %c : TYPE
    %uge = arith.cmpi uge, %a, %c : TYPE
    %sle = arith.cmpi sle, %c2, %a : TYPE
    %ugt = arith.cmpi ugt, %c, %c2 : TYPE
    %ne = arith.cmpi ne, %a, %c2 : TYPE
    %and = arith.andi %slt, %uge : i1
    %or = arith.ori %sle, %ugt : i1
    %xor = arith.xori %or, %ne : i1
    %smax = arith.maxsi %a, %c : TYPE
    %umin = arith.minui %a, %c : TYPE
    %umax = arith.maxui %umin, %c2 : TYPE
    %first = arith.select %and, %smax, %umax : TYPE
    %second = arith.select %xor, %first, %c2 : TYPE
    %flag = arith.extui %sle : i1 to TYPE
    %sum = arith.addi %second, %flag : TYPE
    %low = arith.trunci %a : TYPE to i1
    %third = arith.select %low, %sum, %a : TYPE
    affine.store %third, %r[%i] : !vector
  }
  return
}
