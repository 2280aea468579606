// An infinity where the reference has a number.
func.func @one(%x: memref<4xf32>, %y: memref<4xf32>)
    attributes {tile.reference = @two} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = arith.constant 0x7F800000 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %a, %y[%i] : memref<4xf32>
  }
  return
}

func.func @two(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.load %x[%i] : memref<4xf32>
    memref.store %a, %y[%i] : memref<4xf32>
  }
  return
}
