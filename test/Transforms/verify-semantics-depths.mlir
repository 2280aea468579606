// Programs that programs write may be deep: the analyses, and upstream's, are recursive, and the stack overflowed from some
// 10,000 ops in a row on. Maps of maps took time that doubled with each.
//
// RUN: %python %S/Inputs/repeat.py %s > %t.mlir
// RUN: tile-opt-plain %t.mlir --split-input-file --verify-diagnostics --tile-verify-semantics -o /dev/null
// RUN: %python %S/../Pipelines/Inputs/refuse.py tile-opt-plain %t.mlir | FileCheck %s --implicit-check-not=FAIL
// CHECK: 3 programs refused

func.func @row(%x: memref<?xf32>, %s: index, %v: f32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (32) {
      %q0 = arith.subi %s, %i : index
      // repeat 1024: %q{n} = arith.muli %q{m}, %s : index
      // expected-error @above {{'arith.muli' op is computed by more than 1024 ops in a row; write them as a loop}}
      memref.store %v, %x[%q1024] : memref<?xf32>
    }
  }
  return
}

// -----

func.func @nest(%x: memref<?xf32>, %s: index, %v: f32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (32) {
      // repeat 125: scf.for %k{n} = %s to %s step %s {
      // expected-error @below {{'memref.store' op lies in more than 128 regions; put a part of them into a function}}
      memref.store %v, %x[%i] : memref<?xf32>
      // repeat 125: }
    }
  }
  return
}

// -----

#twice = affine_map<(d0) -> ((d0 floordiv 3) * 2 + d0 mod 5)>
func.func @maps(%x: memref<?xf32>, %s: index, %v: f32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (32) {
      %q0 = arith.subi %s, %i : index
      // repeat 9: %q{n} = affine.apply #twice(%q{m})
      // expected-error @below {{'affine.apply' op makes an expression of more than 4096 terms with the maps that it is applied to; compute a part of it with 'arith' ops}}
      %q10 = affine.apply #twice(%q9)
      memref.store %v, %x[%q10] : memref<?xf32>
    }
  }
  return
}

// -----

// As deep as may be.
func.func @fits(%x: memref<?xf32>, %s: index, %v: f32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (32) {
      %q0 = arith.subi %s, %i : index
      // repeat 1023: %q{n} = arith.muli %q{m}, %s : index
      // repeat 124: scf.for %k{n} = %s to %s step %s {
      memref.store %v, %x[%q1023] : memref<?xf32>
      // repeat 124: }
    }
  }
  return
}
