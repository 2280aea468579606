// RUN: tile-translate --tile-to-gpu-metadata %s | FileCheck %s

// The text for the runtime of each part of a launch. Members are sorted; the least and greatest of numbers stand where they
// are used; what is its default is left out.
// CHECK:      "arguments": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "align": 16,
// CHECK-NEXT:     "dtype": "bf16",
// CHECK-NEXT:     "kind": "memref",
// CHECK-NEXT:     "name": "A",
// CHECK-NEXT:     "shape": [
// CHECK-NEXT:       "M",
// CHECK-NEXT:       null
// CHECK-NEXT:     ],
// CHECK-NEXT:     "strides": [
// CHECK-NEXT:       "lda",
// CHECK-NEXT:       1
// CHECK-NEXT:     ]
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "dtype": "ui8",
// CHECK-NEXT:     "kind": "memref",
// CHECK-NEXT:     "shape": []
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "dtype": "i64",
// CHECK-NEXT:     "kind": "scalar",
// CHECK-NEXT:     "name": "n"
// CHECK-NEXT:   }
// CHECK-NEXT: ],
// CHECK-NEXT: "block": [
// CHECK-NEXT:   256
// CHECK-NEXT: ],
// CHECK-NEXT: "chip": "sm_90a",
// CHECK-NEXT: "cluster": [
// CHECK-NEXT:   2,
// CHECK-NEXT:   1
// CHECK-NEXT: ],
// CHECK-NEXT: "grid": [
// CHECK-NEXT:   "M lda * 3 - n M 128 ceildiv max min sms min",
// CHECK-NEXT:   "n M - 7 mod"
// CHECK-NEXT: ],
// CHECK-NEXT: "kernel": "k",
// CHECK-NEXT: "parameters": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "argument": 0,
// CHECK-NEXT:     "kind": "pointer"
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "argument": 0,
// CHECK-NEXT:     "dim": 1,
// CHECK-NEXT:     "kind": "size",
// CHECK-NEXT:     "type": "i64"
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "kind": "value",
// CHECK-NEXT:     "type": "i32",
// CHECK-NEXT:     "value": "M 2 floordiv"
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "argument": 2,
// CHECK-NEXT:     "kind": "scalar"
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "kind": "tensor_map",
// CHECK-NEXT:     "map": 0
// CHECK-NEXT:   }
// CHECK-NEXT: ],
// CHECK-NEXT: "shared": 1024,
// CHECK-NEXT: "symbols": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "argument": 0,
// CHECK-NEXT:     "dim": 0,
// CHECK-NEXT:     "multiple": 2,
// CHECK-NEXT:     "name": "M"
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "argument": 0,
// CHECK-NEXT:     "name": "lda",
// CHECK-NEXT:     "stride": 0
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "argument": 2,
// CHECK-NEXT:     "name": "n"
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "device": "multiprocessors",
// CHECK-NEXT:     "name": "sms"
// CHECK-NEXT:   }
// CHECK-NEXT: ],
// CHECK-NEXT: "target": "cuda",
// CHECK-NEXT: "tensor_maps": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "argument": 0,
// CHECK-NEXT:     "box": [
// CHECK-NEXT:       64,
// CHECK-NEXT:       128
// CHECK-NEXT:     ],
// CHECK-NEXT:     "l2_promotion": 256,
// CHECK-NEXT:     "sizes": [
// CHECK-NEXT:       512,
// CHECK-NEXT:       "M"
// CHECK-NEXT:     ],
// CHECK-NEXT:     "strides": [
// CHECK-NEXT:       "lda 2 *"
// CHECK-NEXT:     ],
// CHECK-NEXT:     "swizzle": "128B",
// CHECK-NEXT:     "type": "bf16"
// CHECK-NEXT:   }
// CHECK-NEXT: ],
// CHECK-NEXT: "version": 1
gpu.module @device attributes {tile.target = #tile.target<"sm_90a">} {
  gpu.func @k(%a: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 256, 1, 1>, tile.launch = #tile.launch<
      kernel = "k", function = "f", runtime = "cuda", chip = "sm_90a",
      symbols = [<"M", size, argument = 0, dim = 0, multiple = 2>, <"lda", stride, argument = 0, dim = 0>,
                 <"n", scalar, argument = 2>, <"sms", multiprocessors>, <"", max, values = [s2, s0 ceildiv 128]>,
                 <"", min, values = [s0 * s1 - 3, s4, s3]>],
      arguments = [<"A", memref<?x?xbf16, strided<[?, 1]>>, align = 16, shape = [s0, ?], strides = [s1, 1]>,
                   <"", memref<ui8>>, <"n", index>],
      maps = [<argument = 0, element = bf16, sizes = [512, s0], strides = [s1 * 2], box = [64, 128], swizzle = 128,
               l2_promotion = 256>],
      parameters = [<pointer, argument = 0>, <size, argument = 0, dim = 1>, <value, value = s0 floordiv 2, type = i32>,
                    <scalar, argument = 2>, <tensor_map, map = 0>],
      grid = [s5, (s2 - s0) mod 7], block = [256], cluster = [2, 1], shared = 1024>} {
    gpu.return
  }
}
