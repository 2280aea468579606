// What the assembler says: remarks, and errors where speed is promised.

// RUN: tile-translate --tile-to-cubin --chip=sm_89 --ptxas=%S/Inputs/spilling-ptxas.sh --remarks-filter=tile-emit-nvptx %S/Inputs/no-chip.mlir -o %t.cubin 2>&1 | FileCheck %s
// CHECK: no-chip.mlir:2:3: remark: [Analysis] Resources | Category:tile-emit-nvptx | Function=k | registers=255, spill loads=104, spill stores=72, stack=64
// CHECK: no-chip.mlir:1:1: remark: [Missed] Assembler | Category:tile-emit-nvptx | Function=m | Reason="{{.*}}(C7510) Potential Performance Loss:
// CHECK-NOT: C7519

// RUN: not tile-translate --tile-to-cubin --chip=sm_89 --ptxas=%S/Inputs/spilling-ptxas.sh --ptxas-strict %S/Inputs/no-chip.mlir -o %t.strict 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: no-chip.mlir:2:3: error: @k spills registers: 72 bytes of stores, 104 bytes of loads, with 255 registers
// STRICT: no-chip.mlir:1:1: error: the assembler reports a performance warning: {{.*}}(C7510)
// RUN: not ls %t.strict
