// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @im2col_c1(%img: memref<8x8x4xf32>, %t: memref<16x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.im2col' op expected an image of 4 dimensions (N, H, W, C), got 3}}
  tile.im2col %img[0, 0], %t kernel(3, 3) : memref<8x8x4xf32>, memref<16x32xf32, #tile.shared>
  return
}

// -----

func.func @im2col_c1_static(%img: memref<1x8x?x4xf32>, %t: memref<16x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.im2col' op expected H, W and C to be static and at most 2147483647, got 'memref<1x8x?x4xf32>'}}
  tile.im2col %img[0, 0], %t kernel(3, 3) : memref<1x8x?x4xf32>, memref<16x32xf32, #tile.shared>
  return
}

// -----

func.func @im2col_c1_elements(%img: memref<1x8x8x4xindex>, %t: memref<16x32xindex, #tile.shared>) {
  // expected-error @below {{'tile.im2col' op expected floats or signless integers, got 'index'}}
  tile.im2col %img[0, 0], %t kernel(3, 3) : memref<1x8x8x4xindex>, memref<16x32xindex, #tile.shared>
  return
}

// -----

func.func @im2col_c2(%img: memref<1x8x8x4xf32>, %t: memref<16x32xf32>) {
  // expected-error @below {{'tile.im2col' op expected the target to be a static tile of 2 dimensions and of 'f32', got 'memref<16x32xf32>'}}
  tile.im2col %img[0, 0], %t kernel(3, 3) : memref<1x8x8x4xf32>, memref<16x32xf32>
  return
}

// -----

func.func @im2col_c2_elements(%img: memref<1x8x8x4xf32>, %t: memref<16x32xf16, #tile.shared>) {
  // expected-error @below {{'tile.im2col' op expected the target to be a static tile of 2 dimensions and of 'f32', got 'memref<16x32xf16, #tile.shared>'}}
  tile.im2col %img[0, 0], %t kernel(3, 3) : memref<1x8x8x4xf32>, memref<16x32xf16, #tile.shared>
  return
}

// -----

func.func @im2col_c3(%img: memref<1x8x8x4xf32>, %t: memref<16x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.im2col' op expected 2 extents in 'kernel', got 3}}
  tile.im2col %img[0, 0], %t kernel(3, 3, 3) : memref<1x8x8x4xf32>, memref<16x32xf32, #tile.shared>
  return
}

// -----

func.func @im2col_c3_kernel(%img: memref<1x8x8x4xf32>, %t: memref<16x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.im2col' op expected the extents in 'kernel' to be between 1 and 2147483647, got 0}}
  tile.im2col %img[0, 0], %t kernel(3, 0) : memref<1x8x8x4xf32>, memref<16x32xf32, #tile.shared>
  return
}

// -----

func.func @im2col_c3_stride(%img: memref<1x8x8x4xf32>, %t: memref<16x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.im2col' op expected 'stride' to be between 1 and 2147483647, got 0}}
  tile.im2col %img[0, 0], %t kernel(3, 3) stride(0) : memref<1x8x8x4xf32>, memref<16x32xf32, #tile.shared>
  return
}

// -----

func.func @im2col_c3_dilation(%img: memref<1x8x8x4xf32>, %t: memref<16x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.im2col' op expected 'dilation' to be between 1 and 2147483647, got -2}}
  tile.im2col %img[0, 0], %t kernel(3, 3) dilation(-2) : memref<1x8x8x4xf32>, memref<16x32xf32, #tile.shared>
  return
}

// -----

func.func @im2col_c3_pad(%img: memref<1x8x8x4xf32>, %t: memref<16x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.im2col' op expected 'pad' to be between 0 and 2147483647, got 9223372036854775807}}
  tile.im2col %img[0, 0], %t kernel(3, 3) pad(9223372036854775807) : memref<1x8x8x4xf32>, memref<16x32xf32, #tile.shared>
  return
}

// -----

func.func @im2col_c4(%img: memref<1x2x2x4xf32>, %t: memref<16x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.im2col' op expected the window of 5x5 to fit the padded image of 4x4}}
  tile.im2col %img[0, 0], %t kernel(3, 3) dilation(2) pad(1) : memref<1x2x2x4xf32>, memref<16x32xf32, #tile.shared>
  return
}

// -----

func.func @im2col_c5(%img: memref<1x8x8x4xf32>, %t: memref<16x32xf32, #tile.shared>) {
  // expected-error @below {{'tile.im2col' op expected 2 offsets, the first row and the first column, got 1}}
  tile.im2col %img[0], %t kernel(3, 3) : memref<1x8x8x4xf32>, memref<16x32xf32, #tile.shared>
  return
}

// -----

func.func @im2col_c5_text(%img: memref<1x8x8x4xf32>, %t: memref<16x32xf32, #tile.shared>) {
  // expected-error @below {{expected offsets and no sizes}}
  tile.im2col %img[], %t kernel(3, 3) : memref<1x8x8x4xf32>, memref<16x32xf32, #tile.shared>
  return
}

// -----

func.func @im2col_c5_operands(%img: memref<1x8x8x4xf32>, %t: memref<16x32xf32, #tile.shared>, %p: index) {
  // expected-error @below {{'tile.im2col' op expected 0 index operands, got 1}}
  "tile.im2col"(%img, %p, %t) <{imageMap = affine_map<() -> (0, 0)>, kernel = array<i64: 3, 3>}>
      : (memref<1x8x8x4xf32>, index, memref<16x32xf32, #tile.shared>) -> ()
  return
}

// -----

func.func @im2col_divisor(%img: memref<1x8x8x4xf32>, %t: memref<36x36xf32, #tile.shared>, %p: index) {
  // expected-error @below {{'tile.im2col' op expected divisors of at least 1, got 0}}
  tile.im2col %img[%p ceildiv (8 - 8), 0], %t kernel(3, 3) : memref<1x8x8x4xf32>, memref<36x36xf32, #tile.shared>
  return
}

// -----

func.func @im2col_no_kernel(%img: memref<1x8x8x4xf32>, %t: memref<36x36xf32, #tile.shared>) {
  // expected-error @below {{expected the clause 'kernel'}}
  tile.im2col %img[0, 0], %t stride(2) : memref<1x8x8x4xf32>, memref<36x36xf32, #tile.shared>
  return
}

// -----

func.func @im2col_twice(%img: memref<1x8x8x4xf32>, %t: memref<36x36xf32, #tile.shared>) {
  // expected-error @below {{expected 'pad' once, got it twice}}
  tile.im2col %img[0, 0], %t pad(1) kernel(3, 3) pad(1) : memref<1x8x8x4xf32>, memref<36x36xf32, #tile.shared>
  return
}

// -----

func.func @im2col_kernel_twice(%img: memref<1x8x8x4xf32>, %t: memref<36x36xf32, #tile.shared>) {
  // expected-error @below {{expected 'kernel' once, got it twice}}
  tile.im2col %img[0, 0], %t kernel(3, 3) kernel(3, 3) : memref<1x8x8x4xf32>, memref<36x36xf32, #tile.shared>
  return
}
