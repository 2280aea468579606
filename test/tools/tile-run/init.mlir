// Contents of index lists: permutations, offsets, masks, and integers between sizes. Each function counts what is wrong.

// RUN: tile-run %s --func=permuted --func=ranges --func=rows --func=masked | FileCheck %s
// CHECK-COUNT-9: {{^(permuted|ranges|rows|masked) .* equal }}
// CHECK: 9 passed, 0 failed

// What is no permutation is found, and so are offsets with another end.
// RUN: not tile-run %s --func=permuted --arg=0:zeros N=5 | FileCheck %s --check-prefix=ZEROS
// ZEROS: 0 passed, 1 failed
// RUN: not tile-run %s --func=rows "--arg=0:offsets(T + 1)" R=5 T=7 | FileCheck %s --check-prefix=END
// END: 0 passed, 1 failed

// RUN: not tile-run %s --func=ranges "--arg=0:integers(0, Q - 1)" N=5 M=3 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: init.mlir:{{[0-9]+}}:1: error: argument 0 ({{.*}}): the size Q is not given; add Q=NUMBER, or name one of tile.shape
// RUN: not tile-run %s --func=ranges "--arg=0:integers(0, N + 9223372036854775807)" N=5 M=3 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: expected numbers of 64 bits, got N + 9223372036854775807
// RUN: not tile-run %s --func=ranges "--arg=0:integers(0, N * 2)" N=5 M=3 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: expected normal, uniform(low,high), integers(low,high), offsets(last), {{.*}}, got 'integers(0, N * 2)'
// RUN: not tile-run %s --func=ranges N=0 M=3 | FileCheck %s --check-prefix=EMPTY
// EMPTY: expected bounds in order, got 0 and -1
// RUN: not tile-run %s --func=masked "--arg=0:mask(2)" N=5 | FileCheck %s --check-prefix=MASK
// MASK: expected a probability of 0 to 1, got 2

func.func @permuted(%p: memref<?xi32> {tile.shape = "N", tile.init = "permutation"},
                    %seen: memref<?xi32> {tile.shape = "N", tile.init = "zeros", tile.result})
    attributes {tile.reference = @ones, tile.cases = ["N=1", "N=5", "N=1000"]} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %p, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %p[%i] : memref<?xi32>
    %at = arith.index_cast %v : i32 to index
    %old = memref.load %seen[%at] : memref<?xi32>
    %new = arith.addi %old, %one : i32
    memref.store %new, %seen[%at] : memref<?xi32>
  }
  return
}

func.func @ones(%p: memref<?xi32>, %seen: memref<?xi32>) {
  %one = arith.constant 1 : i32
  linalg.fill ins(%one : i32) outs(%seen : memref<?xi32>)
  return
}

// Elements below 0 or from N on.
func.func @ranges(%l: memref<?xi32> {tile.shape = "M", tile.init = "integers(0, N - 1)"}, %x: memref<?xi8> {tile.shape = "N"},
                  %wrong: memref<1xi32> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @none_of_list, tile.cases = ["M=1000 N=3", "M=10 N=1"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %l, %c0 : memref<?xi32>
  %n = memref.dim %x, %c0 : memref<?xi8>
  affine.for %i = 0 to %m {
    %v = affine.load %l[%i] : memref<?xi32>
    %at = arith.index_cast %v : i32 to index
    %bad = arith.cmpi uge, %at, %n : index
    func.call @count(%bad, %wrong) : (i1, memref<1xi32>) -> ()
  }
  return
}

func.func @none_of_list(%l: memref<?xi32>, %x: memref<?xi8>, %wrong: memref<1xi32>) {
  %zero = arith.constant 0 : i32
  affine.store %zero, %wrong[0] : memref<1xi32>
  return
}

// Offsets that fall, and ends that are not 0 and T.
func.func @rows(%o: memref<?xi64> {tile.shape = "R", tile.init = "offsets(T)"}, %x: memref<?xi8> {tile.shape = "T"},
                %wrong: memref<1xi32> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @none_of_rows, tile.cases = ["R=5 T=7", "R=101 T=1000"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %r = memref.dim %o, %c0 : memref<?xi64>
  %t = memref.dim %x, %c0 : memref<?xi8>
  %last = arith.subi %r, %c1 : index
  %total = arith.index_cast %t : index to i64
  scf.for %i = %c0 to %last step %c1 {
    %next = arith.addi %i, %c1 : index
    %a = memref.load %o[%i] : memref<?xi64>
    %b = memref.load %o[%next] : memref<?xi64>
    %falls = arith.cmpi sgt, %a, %b : i64
    func.call @count(%falls, %wrong) : (i1, memref<1xi32>) -> ()
  }
  %begin = memref.load %o[%c0] : memref<?xi64>
  %end = memref.load %o[%last] : memref<?xi64>
  %badBegin = arith.cmpi ne, %begin, %zero : i64
  %badEnd = arith.cmpi ne, %end, %total : i64
  func.call @count(%badBegin, %wrong) : (i1, memref<1xi32>) -> ()
  func.call @count(%badEnd, %wrong) : (i1, memref<1xi32>) -> ()
  return
}

func.func @none_of_rows(%o: memref<?xi64>, %x: memref<?xi8>, %wrong: memref<1xi32>) {
  %zero = arith.constant 0 : i32
  affine.store %zero, %wrong[0] : memref<1xi32>
  return
}

// Elements but 0 and 1.
func.func @masked(%m: memref<?xi8> {tile.shape = "N", tile.init = "mask(0.25)"},
                  %wrong: memref<1xi32> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @none_of_mask, tile.cases = ["N=1000", "N=0"]} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i8
  %n = memref.dim %m, %c0 : memref<?xi8>
  affine.for %i = 0 to %n {
    %v = affine.load %m[%i] : memref<?xi8>
    %bad = arith.cmpi ugt, %v, %one : i8
    func.call @count(%bad, %wrong) : (i1, memref<1xi32>) -> ()
  }
  return
}

func.func @none_of_mask(%m: memref<?xi8>, %wrong: memref<1xi32>) {
  %zero = arith.constant 0 : i32
  affine.store %zero, %wrong[0] : memref<1xi32>
  return
}

func.func private @count(%bad: i1, %wrong: memref<1xi32>) {
  %one = arith.extui %bad : i1 to i32
  %old = affine.load %wrong[0] : memref<1xi32>
  %new = arith.addi %old, %one : i32
  affine.store %new, %wrong[0] : memref<1xi32>
  return
}
