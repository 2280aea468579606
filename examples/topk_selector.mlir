// The 64 largest elements of each row, sorted, with their indices.
//
// Shows tile.topk over a row of any length: the list so far is combined with the next part of the row. Elements past the
// end of a short row read as -inf and are never selected: they sort after the pairs (-inf, -1) to which the list is
// initialised. Of equal elements the leftmost one wins.
//
//   tile-run examples/topk_selector.mlir
//   tile-run examples/topk_selector.mlir B=64 N=32768

!rows = memref<?x?xf32>
!values = memref<?x64xf32>
!places = memref<?x64xi32>

func.func @topk_selector(
    %x: !rows {tile.shape = "BxN"}, %values: !values {tile.shape = "Bx64", tile.result},
    %places: !places {tile.shape = "Bx64", tile.result})
    attributes {tile.reference = @topk_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["B=5 N=10000", "B=3 N=1000", "B=2 N=65", "B=2 N=63", "B=1 N=1"]} {
  tile.kernel (%b) in (dim(%x, 0)) threads(512) {
    tile.padding_value %x, -inf
    %part = tile.alloc : memref<4096xf32, #tile.shared>
    %best = tile.alloc : memref<64xf32, #tile.shared>
    %at = tile.alloc : memref<64xi32, #tile.shared>
    tile.fill %best, -inf
    tile.fill %at, -1
    tile.pipelined %t = 0 to ceildiv(dim(%x, 1), 4096) {
      tile.copy %x[%b, %t * 4096], %part
      tile.topk %part, %best, %at base(%t * 4096) {combine}
    }
    tile.copy %best, %values[%b, 0]
    tile.copy %at, %places[%b, 0]
  }
  return
}

// The rank of each element is the number of elements that precede it.
func.func @topk_reference(%x: !rows, %values: !values, %places: !places) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i32
  %count = memref.dim %x, %c0 : !rows
  %n = memref.dim %x, %c1 : !rows
  affine.for %b = 0 to %count {
    affine.for %p = 0 to 64 {
      affine.store %lowest, %values[%b, %p] : !values
      affine.store %none, %places[%b, %p] : !places
    }
    affine.for %i = 0 to %n {
      %v = affine.load %x[%b, %i] : !rows
      %rank = affine.for %j = 0 to %n iter_args(%before = %c0) -> index {
        %other = affine.load %x[%b, %j] : !rows
        %larger = arith.cmpf ogt, %other, %v : f32
        %equal = arith.cmpf oeq, %other, %v : f32
        %left = arith.cmpi ult, %j, %i : index
        %tie = arith.andi %equal, %left : i1
        %first = arith.ori %larger, %tie : i1
        %one = arith.select %first, %c1, %c0 : index
        %next = arith.addi %before, %one : index
        affine.yield %next : index
      }
      %chosen = arith.cmpi ult, %rank, %c64 : index
      scf.if %chosen {
        %place = arith.index_cast %i : index to i32
        memref.store %v, %values[%b, %rank] : !values
        memref.store %place, %places[%b, %rank] : !places
      }
    }
  }
  return
}
