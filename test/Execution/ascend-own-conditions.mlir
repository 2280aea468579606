// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// Branches on what the iteration itself has written, and on what an atomic update returns, in branches that are loops on the scalar
// unit.

// CHECK-NOT: FAIL
// CHECK: {{^}}3 passed, 0 failed

// Cells of the Game of Life: the number of neighbours is added up in memory of the iteration, and decides in a branch of a branch.
!cells = memref<21x37xi8>
func.func @life(%x: !cells {tile.init = "integers(0, 1)"}, %y: !cells {tile.init = "zeros", tile.result}) attributes {tile.reference = @life_reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %false = arith.constant false
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i8
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %c21 = arith.constant 21 : index
  %c37 = arith.constant 37 : index
  tile.kernel (%bx, %by) in (3, 3) {
    %s = tile.alloc : memref<1xi32, #tile.local>
    tile.parallel (%i, %j) in (8, 16) {
      %r = affine.apply affine_map<(b, i) -> (b * 8 + i)>(%by, %i)
      %c = affine.apply affine_map<(b, j) -> (b * 16 + j)>(%bx, %j)
      %rows = arith.cmpi slt, %r, %c21 : index
      %columns = arith.cmpi slt, %c, %c37 : index
      %inside = arith.andi %rows, %columns : i1
      scf.if %inside {
        memref.store %zero, %s[%c0] : memref<1xi32, #tile.local>
        scf.for %d = %c0 to %c9 step %c1 {
          %other = arith.cmpi ne, %d, %c4 : index
          scf.if %other {
            %old = memref.load %s[%c0] : memref<1xi32, #tile.local>
            %nr = affine.apply affine_map<(r, d) -> ((r + d floordiv 3 + 20) mod 21)>(%r, %d)
            %nc = affine.apply affine_map<(c, d) -> ((c + d mod 3 + 36) mod 37)>(%c, %d)
            %v = memref.load %x[%nr, %nc] : !cells
            %w = arith.extsi %v : i8 to i32
            %new = arith.addi %old, %w : i32
            memref.store %new, %s[%c0] : memref<1xi32, #tile.local>
          }
        }
        %n = memref.load %s[%c0] : memref<1xi32, #tile.local>
        %born = arith.cmpi eq, %n, %three : i32
        %lives = scf.if %born -> i1 {
          scf.yield %true : i1
        } else {
          %again = memref.load %s[%c0] : memref<1xi32, #tile.local>
          %stays = arith.cmpi eq, %again, %two : i32
          %kept = scf.if %stays -> i1 {
            %v = memref.load %x[%r, %c] : !cells
            %was = arith.cmpi eq, %v, %one : i8
            scf.yield %was : i1
          } else {
            scf.yield %false : i1
          }
          scf.yield %kept : i1
        }
        %result = arith.extui %lives : i1 to i8
        memref.store %result, %y[%r, %c] : !cells
      }
    }
  }
  return
}
func.func private @life_reference(%x: !cells, %y: !cells) {
  %zero = arith.constant 0 : i8
  %two = arith.constant 2 : i8
  %three = arith.constant 3 : i8
  %one = arith.constant 1 : i8
  affine.for %i = 0 to 21 {
    affine.for %j = 0 to 37 {
      %all = affine.for %a = 0 to 3 iter_args(%s = %zero) -> i8 {
        %row = affine.for %b = 0 to 3 iter_args(%t = %s) -> i8 {
          %v = affine.load %x[(%i + %a + 20) mod 21, (%j + %b + 36) mod 37] : !cells
          %n = arith.addi %t, %v : i8
          affine.yield %n : i8
        }
        affine.yield %row : i8
      }
      %own = affine.load %x[%i, %j] : !cells
      %n = arith.subi %all, %own : i8
      %born = arith.cmpi eq, %n, %three : i8
      %stays = arith.cmpi eq, %n, %two : i8
      %was = arith.cmpi eq, %own, %one : i8
      %kept = arith.andi %stays, %was : i1
      %lives = arith.ori %born, %kept : i1
      %r = arith.extui %lives : i1 to i8
      affine.store %r, %y[%i, %j] : !cells
    }
  }
  return
}

!numbers = memref<16xi32>
func.func @claimed(%x: !numbers, %y: !numbers {tile.init = "integers(0, 2)", tile.result}) attributes {tile.reference = @claimed_reference} {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<16xi32, #tile.shared>
    tile.copy %y, %s
    tile.parallel (%i) in (16) do {
      if %i < 9 {
        %old = tile.atomic add 1, %s[%i]
        if %old == 0 { %s[%i] = %x[%i] }
      }
    }
    tile.copy %s, %y
  }
  return
}
func.func private @claimed_reference(%x: !numbers, %y: !numbers) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  affine.for %i = 0 to 9 {
    %old = affine.load %y[%i] : !numbers
    %v = affine.load %x[%i] : !numbers
    %first = arith.cmpi eq, %old, %zero : i32
    %more = arith.addi %old, %one : i32
    %new = arith.select %first, %v, %more : i32
    affine.store %new, %y[%i] : !numbers
  }
  return
}

// Each element of a tile is asked for once.
func.func @asked(%x: !numbers, %y: !numbers {tile.result}) attributes {tile.reference = @asked_reference} {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<16xi32, #tile.shared>
    tile.fill %s, 0
    tile.parallel (%i) in (16) do {
      %old = tile.atomic add 1, %s[%i]
      if %old == 0 { %y[%i] = %x[%i] + %old } else { %y[%i] = 7 }
    }
  }
  return
}
func.func private @asked_reference(%x: !numbers, %y: !numbers) {
  memref.copy %x, %y : !numbers to !numbers
  return
}
