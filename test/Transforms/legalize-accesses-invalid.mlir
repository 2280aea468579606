// RUN: tile-opt %s --split-input-file --tile-legalize-accesses --verify-diagnostics

func.func @rank(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error @below {{a vector of 2 dimensions may leave the bounds of the global buffer; access it in vectors of 1 dimension}}
      %v = vector.load %x[%i, %i] : memref<?x?xf32>, vector<2x4xf32>
      vector.store %v, %y[%i, %i] : memref<?x?xf32>, vector<2x4xf32>
    }
  }
  return
}

// -----

func.func @complex(%x: memref<?xcomplex<f32>>, %y: memref<64xcomplex<f32>>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error @below {{no padding value for elements of 'complex<f32>'; give one with 'tile.padding_value'}}
      %v = memref.load %x[%i] : memref<?xcomplex<f32>>
      memref.store %v, %y[%i] : memref<64xcomplex<f32>>
    }
  }
  return
}

// -----

func.func @rank_of_tile(%x: memref<64xi32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<16x16xi32, #tile.shared>
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xi32>
      %p = arith.index_cast %v : i32 to index
      %c0 = arith.constant 0 : index
      // expected-error @below {{a vector of 2 dimensions may leave the bounds of the tile; access it in vectors of 1 dimension}}
      %w = vector.load %t[%p, %c0] : memref<16x16xi32, #tile.shared>, vector<2x4xi32>
      vector.store %w, %t[%c0, %c0] : memref<16x16xi32, #tile.shared>, vector<2x4xi32>
    }
  }
  return
}
