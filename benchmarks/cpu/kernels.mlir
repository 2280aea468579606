// The kernels that the CPU benchmark times. Each is the plain way to write the operator; nothing in them is meant for a CPU.

func.func @gemm(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %c, %c0 : memref<?x?xf32>
  %n = memref.dim %c, %c1 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf32>
  %rows = arith.ceildivui %m, %c1024 : index
  %columns = arith.ceildivui %n, %c128 : index
  %steps = arith.ceildivui %k, %c1024 : index
  tile.kernel (%x, %y) in (%columns, %rows) {
    %as = tile.alloc : memref<1024x1024xf32, #tile.shared>
    %bs = tile.alloc : memref<1024x128xf32, #tile.shared>
    %acc = tile.alloc : memref<1024x128xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<1024x128xf32, #tile.fragment>
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%y * 1024, %s * 1024], %as : memref<?x?xf32>, memref<1024x1024xf32, #tile.shared>
      tile.copy %b[%s * 1024, %x * 128], %bs : memref<?x?xf32>, memref<1024x128xf32, #tile.shared>
      tile.gemm %as, %bs, %acc
          : memref<1024x1024xf32, #tile.shared>, memref<1024x128xf32, #tile.shared>, memref<1024x128xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%y * 1024, %x * 128] : memref<1024x128xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}

func.func @softmax(%x: memref<?x4096xf32>, %y: memref<?x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %x, %c0 : memref<?x4096xf32>
  %blocks = arith.ceildivui %n, %c2 : index
  tile.kernel (%b) in (%blocks) {
    %t = tile.alloc : memref<1x4096xf32, #tile.fragment>
    %max = tile.alloc : memref<1xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %t : memref<?x4096xf32>, memref<1x4096xf32, #tile.fragment>
    tile.reduce max %t, %max dim(1) : memref<1x4096xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
    tile.parallel (%i, %j) in (1, 4096) {
      %v = memref.load %t[%i, %j] : memref<1x4096xf32, #tile.fragment>
      %m = memref.load %max[%i] : memref<1xf32, #tile.fragment>
      %d = arith.subf %v, %m : f32
      %e = math.exp %d : f32
      memref.store %e, %t[%i, %j] : memref<1x4096xf32, #tile.fragment>
    }
    tile.reduce sum %t, %sum dim(1) : memref<1x4096xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
    tile.parallel (%i) in (1) {
      %s = memref.load %sum[%i] : memref<1xf32, #tile.fragment>
      %r = arith.divf %one, %s : f32
      memref.store %r, %sum[%i] : memref<1xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (1, 4096) {
      %v = memref.load %t[%i, %j] : memref<1x4096xf32, #tile.fragment>
      %s = memref.load %sum[%i] : memref<1xf32, #tile.fragment>
      %r = arith.mulf %v, %s : f32
      memref.store %r, %t[%i, %j] : memref<1x4096xf32, #tile.fragment>
    }
    tile.copy %t, %y[%b, 0] : memref<1x4096xf32, #tile.fragment>, memref<?x4096xf32>
  }
  return
}

func.func @relu_product(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %blocks = arith.ceildivui %n, %c4096 : index
  tile.kernel (%x) in (%blocks) {
    tile.parallel (%i) in (4096) {
      %p = affine.apply affine_map<(x, i) -> (x * 4096 + i)>(%x, %i)
      %u = memref.load %a[%p] : memref<?xf32>
      %v = memref.load %b[%p] : memref<?xf32>
      %w = arith.mulf %u, %v : f32
      %r = arith.maximumf %w, %zero : f32
      memref.store %r, %c[%p] : memref<?xf32>
    }
  }
  return
}
