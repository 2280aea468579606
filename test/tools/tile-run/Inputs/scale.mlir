// y = 2 x, by a kernel and by a loop.
!matrix = memref<?x?xf32>

func.func @scale(%x: !matrix {tile.shape = "MxN"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @scale_reference, tile.cases = ["M=5 N=7", "M=64 N=64", "M=0 N=3"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  tile.kernel (%i) in (%m) threads(32) {
    scf.for %j = %c0 to %n step %c1 {
      tile.parallel (%t) in (1) {
        %v = memref.load %x[%i, %j] : !matrix
        %w = arith.mulf %v, %two : f32
        memref.store %w, %y[%i, %j] : !matrix
      }
    }
  }
  return
}

func.func @scale_reference(%x: !matrix, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : !matrix
      %w = arith.addf %v, %v : f32
      affine.store %w, %y[%i, %j] : !matrix
    }
  }
  return
}

// Another result, and another set of arguments.
func.func private @zero(%x: !matrix, %y: !matrix) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : !matrix)
  return
}

func.func private @one_argument(%x: !matrix) {
  return
}

func.func private @other_type(%x: !matrix, %y: memref<?x?xf64>) {
  return
}
