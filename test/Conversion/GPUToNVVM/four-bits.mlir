// RUN: tile-opt %s --pass-pipeline="builtin.module(gpu.module(tile-lower-nvvm-small-floats))" | FileCheck %s

// The halves of a byte are converted together, the upper one shifted down (bf16) or 16 times as large.
// CHECK-LABEL: gpu.func @signed
// CHECK: llvm.bitcast %{{.*}} : vector<16xi4> to vector<2xi32>
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK: arith.shrui %{{.*}}, %[[FOUR]] : i32
// CHECK: llvm.shufflevector %{{.*}}, %{{.*}} [0, 0, 4, 4] : vector<4xi8>
// CHECK: %[[REST:.*]] = arith.constant dense<-1.360000e+02> : vector<2xbf16>
// CHECK: %[[MASK:.*]] = arith.constant 983055 : i32
// CHECK: %[[FLIP:.*]] = arith.constant 1124614920 : i32
// CHECK: llvm.inline_asm asm_dialect = att "lop3.b32 $0, $1, $2, $3, 106;", "=r,r,r,r" %{{.*}}, %[[MASK]], %[[FLIP]]
// CHECK: llvm.fadd %{{.*}}, %[[REST]]
// CHECK-COUNT-7: llvm.fadd
// CHECK-NOT: llvm.fadd
// CHECK-NOT: arith.sitofp
// CHECK-LABEL: gpu.func @unsigned
// CHECK: llvm.bitcast %{{.*}} : vector<4xi4> to i16
// CHECK: arith.extui %{{.*}} : i16 to i32
// CHECK: dense<[1.000000e+00, 6.250000e-02]> : vector<2xf16>
// CHECK: dense<[-1.024000e+03, -6.400000e+01]> : vector<2xf16>
// CHECK: vector.from_elements {{.*}} : vector<4xf16>
// CHECK-LABEL: gpu.func @floats
// The halves of a byte are masked for all bytes of a word; where a selector asks for the sign of a byte, it gets 0.
// CHECK: %[[NIBBLES:.*]] = arith.constant 252645135 : i32
// CHECK: %[[EVEN:.*]] = arith.andi %[[CODES:.*]], %[[NIBBLES]] : i32
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[CODES]], %{{.*}} : i32
// CHECK: %[[ODD:.*]] = arith.andi %[[SHIFTED]], %{{.*}} : i32
// CHECK: %[[FIRST_BYTE:.*]] = arith.constant 33920 : i32
// CHECK: %[[BOTH:.*]] = nvvm.prmt <default> %[[FIRST_BYTE]], %[[EVEN]], %[[ODD]]
// CHECK: %[[MOVES:.*]] = arith.constant 4160 : i32
// CHECK: %[[MOVED:.*]] = arith.muli %[[BOTH]], %[[MOVES]] : i32
// CHECK: %[[BITS:.*]] = arith.constant -2118090304 : i32
// CHECK: arith.andi %[[MOVED]], %[[BITS]] : i32
// CHECK: arith.constant dense<8.507050e+37> : vector<2xbf16>
// CHECK: llvm.fmul
// CHECK-COUNT-3: llvm.fmul
// CHECK-NOT: llvm.fmul
// CHECK-NOT: arith.truncf
// The byte of a lane: by a selector, without a shift.
// CHECK-LABEL: gpu.func @byte
// CHECK-SAME: (%[[WORD:.*]]: i32, %[[NUMBER:.*]]: i32)
// CHECK: %[[HALF:.*]] = arith.constant 4 : i32
// CHECK: %[[HIGH:.*]] = arith.shrui %[[WORD]], %[[HALF]] : i32
// CHECK: %[[STEP:.*]] = arith.constant 4369 : i32
// CHECK: %[[TIMES:.*]] = arith.muli %[[NUMBER]], %[[STEP]] : i32
// CHECK: %[[FIRST:.*]] = arith.constant 17408 : i32
// CHECK: %[[SELECTOR:.*]] = arith.addi %[[TIMES]], %[[FIRST]] : i32
// CHECK: nvvm.prmt <default> %[[SELECTOR]], %[[WORD]], %[[HIGH]]
// CHECK-COUNT-1: llvm.fadd
// CHECK-NOT: llvm.fadd
// CHECK-LABEL: gpu.func @byte_of_floats
// CHECK: %[[PAIR:.*]] = nvvm.prmt <default>
// CHECK: %[[LOW:.*]] = arith.constant 983055 : i32
// CHECK: %[[OWN:.*]] = arith.andi %[[PAIR]], %[[LOW]] : i32
// CHECK: %[[SHIFT:.*]] = arith.constant 512 : i32
// CHECK: %[[PRODUCT:.*]] = arith.muli %[[OWN]], %[[SHIFT]] : i32
// CHECK: %[[CARRY:.*]] = arith.constant 1879076864 : i32
// CHECK: arith.addi %[[PRODUCT]], %[[CARRY]] : i32
// CHECK: arith.constant -1912566272 : i32
// CHECK-COUNT-1: llvm.fmul {{.*}} : vector<2xf16>
// CHECK-NOT: llvm.fmul
// Another shift may begin inside of a byte.
// CHECK-LABEL: gpu.func @bits
// CHECK-NOT: nvvm.prmt
// CHECK-LABEL: gpu.func @others
// CHECK: arith.sitofp %{{.*}} : i4 to bf16
// CHECK: arith.sitofp %{{.*}} : vector<3xi4> to vector<3xbf16>
// CHECK: arith.sitofp %{{.*}} : vector<8xi4> to vector<8xf32>
// CHECK: arith.extf %{{.*}} : vector<8xf4E2M1FN> to vector<8xf32>
// CHECK: gpu.return
// Elements half a word apart: in the halves of the word shifted by four bits for each, where integers are; floats of odd numbers
// move by four bits less.
// CHECK-LABEL: gpu.func @halves
// CHECK-SAME: (%[[WORD:.*]]: i32)
// CHECK: llvm.bitcast %{{.*}} : i8 to vector<2xi4>
// CHECK: %[[BITS:.*]] = arith.constant 12 : i32
// CHECK: %[[THIRD:.*]] = arith.shrui %[[WORD]], %[[BITS]] : i32
// CHECK: %[[MASK:.*]] = arith.constant 983055 : i32
// CHECK: %[[FLIP:.*]] = arith.constant 1124614920 : i32
// CHECK: llvm.inline_asm asm_dialect = att "lop3.b32 $0, $1, $2, $3, 106;", "=r,r,r,r" %[[THIRD]], %[[MASK]], %[[FLIP]]
// CHECK: llvm.fadd
// CHECK-LABEL: gpu.func @halves_of_floats
// CHECK-SAME: (%[[WORD:.*]]: i32)
// CHECK: arith.bitcast %{{.*}} : vector<2xi4> to vector<2xf4E2M1FN>
// CHECK: %[[BITS:.*]] = arith.constant 8 : i32
// CHECK: %[[SECOND:.*]] = arith.shrui %[[WORD]], %[[BITS]] : i32
// CHECK: %[[MASK:.*]] = arith.constant 15728880 : i32
// CHECK: %[[ODD:.*]] = arith.andi %[[SECOND]], %[[MASK]] : i32
// CHECK: %[[MOVE:.*]] = arith.constant 260 : i32
// CHECK: %[[MOVED:.*]] = arith.muli %[[ODD]], %[[MOVE]] : i32
// CHECK: %[[KEEP:.*]] = arith.constant -2118090304 : i32
// CHECK: arith.andi %[[MOVED]], %[[KEEP]] : i32
// CHECK: llvm.fmul
// Not half a word apart: no such conversion.
// CHECK-LABEL: gpu.func @not_halves
// CHECK: arith.ori
// CHECK: arith.extui %{{.*}} : i8 to i32
gpu.module @m attributes {tile.target = #tile.target<"sm_80">} {
  gpu.func @signed(%x: vector<16xi4>) -> vector<16xbf16> {
    %a = arith.sitofp %x : vector<16xi4> to vector<16xbf16>
    gpu.return %a : vector<16xbf16>
  }
  gpu.func @unsigned(%x: vector<4xi4>) -> vector<4xf16> {
    %a = arith.uitofp %x : vector<4xi4> to vector<4xf16>
    gpu.return %a : vector<4xf16>
  }
  gpu.func @floats(%x: vector<8xf4E2M1FN>) -> vector<8xbf16> {
    %a = arith.extf %x : vector<8xf4E2M1FN> to vector<8xf32>
    %b = arith.truncf %a : vector<8xf32> to vector<8xbf16>
    gpu.return %b : vector<8xbf16>
  }
  gpu.func @byte(%word: i32, %number: i32) -> vector<2xbf16> {
    %eight = arith.constant 8 : i32
    %shift = arith.muli %number, %eight : i32
    %shifted = arith.shrui %word, %shift : i32
    %byte = arith.trunci %shifted : i32 to i8
    %x = llvm.bitcast %byte : i8 to vector<2xi4>
    %a = arith.sitofp %x : vector<2xi4> to vector<2xbf16>
    gpu.return %a : vector<2xbf16>
  }
  gpu.func @byte_of_floats(%word: i32, %number: i32) -> vector<2xf16> {
    %eight = arith.constant 8 : i32
    %shift = arith.muli %number, %eight : i32
    %shifted = arith.shrui %word, %shift : i32
    %byte = arith.trunci %shifted : i32 to i8
    %x = llvm.bitcast %byte : i8 to vector<2xi4>
    %f = arith.bitcast %x : vector<2xi4> to vector<2xf4E2M1FN>
    %a = arith.extf %f : vector<2xf4E2M1FN> to vector<2xf32>
    %b = arith.truncf %a : vector<2xf32> to vector<2xf16>
    gpu.return %b : vector<2xf16>
  }
  gpu.func @bits(%word: i32, %number: i32) -> vector<2xbf16> {
    %four = arith.constant 4 : i32
    %shift = arith.muli %number, %four : i32
    %shifted = arith.shrui %word, %shift : i32
    %byte = arith.trunci %shifted : i32 to i8
    %x = llvm.bitcast %byte : i8 to vector<2xi4>
    %a = arith.sitofp %x : vector<2xi4> to vector<2xbf16>
    gpu.return %a : vector<2xbf16>
  }
  gpu.func @others(%x: i4, %y: vector<3xi4>, %z: vector<8xi4>, %w: vector<8xf4E2M1FN>) -> (bf16, vector<3xbf16>, vector<8xf32>, vector<8xf32>) {
    %a = arith.sitofp %x : i4 to bf16
    %b = arith.sitofp %y : vector<3xi4> to vector<3xbf16>
    %c = arith.sitofp %z : vector<8xi4> to vector<8xf32>
    %d = arith.extf %w : vector<8xf4E2M1FN> to vector<8xf32>
    gpu.return %a, %b, %c, %d : bf16, vector<3xbf16>, vector<8xf32>, vector<8xf32>
  }
  gpu.func @halves(%word: i32) -> vector<2xbf16> {
    %low_bits = arith.constant 12 : i32
    %high_bits = arith.constant 24 : i32
    %c15 = arith.constant 15 : i32
    %c240 = arith.constant 240 : i32
    %l = arith.shrui %word, %low_bits : i32
    %h = arith.shrui %word, %high_bits : i32
    %first = arith.andi %l, %c15 : i32
    %second = arith.andi %h, %c240 : i32
    %both = arith.ori %first, %second : i32
    %byte = arith.trunci %both : i32 to i8
    %x = llvm.bitcast %byte : i8 to vector<2xi4>
    %a = arith.sitofp %x : vector<2xi4> to vector<2xbf16>
    gpu.return %a : vector<2xbf16>
  }
  gpu.func @halves_of_floats(%word: i32) -> vector<2xbf16> {
    %low_bits = arith.constant 12 : i32
    %high_bits = arith.constant 24 : i32
    %c15 = arith.constant 15 : i32
    %c240 = arith.constant 240 : i32
    %l = arith.shrui %word, %low_bits : i32
    %h = arith.shrui %word, %high_bits : i32
    %first = arith.andi %l, %c15 : i32
    %second = arith.andi %h, %c240 : i32
    %both = arith.ori %first, %second : i32
    %byte = arith.trunci %both : i32 to i8
    %x = llvm.bitcast %byte : i8 to vector<2xi4>
    %f = arith.bitcast %x : vector<2xi4> to vector<2xf4E2M1FN>
    %a = arith.extf %f : vector<2xf4E2M1FN> to vector<2xf32>
    %b = arith.truncf %a : vector<2xf32> to vector<2xbf16>
    gpu.return %b : vector<2xbf16>
  }
  gpu.func @not_halves(%word: i32) -> vector<2xbf16> {
    %low_bits = arith.constant 8 : i32
    %high_bits = arith.constant 24 : i32
    %c15 = arith.constant 15 : i32
    %c240 = arith.constant 240 : i32
    %l = arith.shrui %word, %low_bits : i32
    %h = arith.shrui %word, %high_bits : i32
    %first = arith.andi %l, %c15 : i32
    %second = arith.andi %h, %c240 : i32
    %both = arith.ori %first, %second : i32
    %byte = arith.trunci %both : i32 to i8
    %x = llvm.bitcast %byte : i8 to vector<2xi4>
    %a = arith.sitofp %x : vector<2xi4> to vector<2xbf16>
    gpu.return %a : vector<2xbf16>
  }
}
