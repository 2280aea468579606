// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @scan_c1(%a: memref<64xf32>, %r: memref<64xf32>) {
  // expected-error @below {{'tile.scan' op expected 'dim' below the rank 1 of the source, got 1}}
  tile.scan sum %a, %r dim(1) : memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @scan_c1_negative(%a: memref<64x32xf32>, %r: memref<64x32xf32>) {
  // expected-error @below {{'tile.scan' op expected 'dim' not to be negative, got -1}}
  tile.scan sum %a, %r dim(-1) : memref<64x32xf32>, memref<64x32xf32>
  return
}

// -----

func.func @scan_c2(%a: memref<64x32xf32>, %r: memref<64x16xf32>) {
  // expected-error @below {{'tile.scan' op expected the target to be 64x32 like the source, got 64x16}}
  tile.scan sum %a, %r dim(1) : memref<64x32xf32>, memref<64x16xf32>
  return
}

// -----

func.func @scan_c2_static(%a: memref<64x32xf32>, %r: memref<?x32xf32>) {
  // expected-error @below {{'tile.scan' op expected buffers of static shape, got 'memref<?x32xf32>'}}
  tile.scan sum %a, %r dim(1) : memref<64x32xf32>, memref<?x32xf32>
  return
}

// -----

func.func @scan_c2_types(%a: memref<64x32xf32>, %r: memref<64x32xf16>) {
  // expected-error @below {{'tile.scan' op expected element type 'f32' as in the source, got 'f16'}}
  tile.scan sum %a, %r dim(1) : memref<64x32xf32>, memref<64x32xf16>
  return
}

// -----

func.func @scan_c2_index(%a: memref<64x32xindex>, %r: memref<64x32xindex>) {
  // expected-error @below {{'tile.scan' op expected floats or signless integers, got 'index'}}
  tile.scan sum %a, %r dim(1) : memref<64x32xindex>, memref<64x32xindex>
  return
}

// -----

func.func @scan_c3(%a: memref<64x32xf32>, %r: memref<64x32xf32>) {
  // expected-error @below {{'tile.scan' op 'is_unsigned' needs integers, got 'f32'}}
  tile.scan sum %a, %r dim(1) {is_unsigned} : memref<64x32xf32>, memref<64x32xf32>
  return
}
