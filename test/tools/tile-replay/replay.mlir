// REQUIRES: fake-cuda

// A driver without a GPU, on which kernels do nothing: what a kernel should have
// written is still poison.

// RUN: rm -rf %t && mkdir %t
// RUN: tile-run --target=cuda --save=%t %S/../tile-run/cuda.mlir --func=saxpy
// RUN: env FAKE_CUDA_DEVICES=1 TILE_CUDA_DRIVER=%fake_cuda not tile-replay %t | FileCheck %s
// CHECK: case max error
// CHECK-NEXT: saxpy n=1 {{.*}} FAIL: argument 1: 1 of 1 elements differ
// CHECK-NEXT: saxpy n=1000 {{.*}} FAIL: argument 1: {{.*}}1000 of 1000 elements
// CHECK-NEXT: 2 cases: 0 passed, 2 failed, 0 not checked

// RUN: env FAKE_CUDA_DEVICES=1 TILE_CUDA_DRIVER=%fake_cuda not tile-replay %t --no-fork --guard=0 --filter==1000 --time=5 --flush-l2 --repeat=2 | FileCheck %s --check-prefix=ONE
// ONE: 1 cases: 0 passed, 1 failed, 0 not checked

// RUN: rm -rf %t/none && tile-run --target=cuda --save=%t/none --check=none %S/../tile-run/cuda.mlir --func=saxpy n=64
// RUN: env FAKE_CUDA_DEVICES=1 TILE_CUDA_DRIVER=%fake_cuda tile-replay %t/none --time=3 | FileCheck %s --check-prefix=NONE
// NONE: saxpy n=64 {{.*}} not checked
// NONE: 1 cases: 0 passed, 0 failed, 1 not checked

// Rounds, each of which begins with another case; what failed is not run again. For programs.
// RUN: env FAKE_CUDA_DEVICES=1 TILE_CUDA_DRIVER=%fake_cuda tile-replay %t/none --time=2 --rounds=3 --json | FileCheck %s --check-prefix=JSON
// JSON-COUNT-3: {"folder": "{{.*}}/none/cuda.saxpy/n=64", "function": "saxpy", "case": "n=64", "passed": true, "checked": false, "seconds": {{[0-9.e+-]+}}, "minimum": {{[0-9.e+-]+}}}
// JSON-NOT: {{.}}
// RUN: env FAKE_CUDA_DEVICES=1 TILE_CUDA_DRIVER=%fake_cuda not tile-replay %t --rounds=2 --json | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: "case": "n=1", "passed": false, {{.*}}, "message": "argument 1:
// ROUNDS-NEXT: "case": "n=1000", "passed": false
// ROUNDS-NEXT: "case": "n=64", "passed": true
// ROUNDS-NEXT: "case": "n=64", "passed": true
// ROUNDS-NOT: folder
// RUN: env FAKE_CUDA_LAUNCH=abort FAKE_CUDA_DEVICES=1 TILE_CUDA_DRIVER=%fake_cuda not tile-replay %t --filter=cuda.saxpy/n=1 --rounds=2 | FileCheck %s --check-prefix=ABORT

// The same in tile-run itself.
// RUN: env FAKE_CUDA_DEVICES=1 TILE_CUDA_DRIVER=%fake_cuda not tile-run --target=cuda %S/../tile-run/cuda.mlir --func=saxpy --chip=sm_90a --time=3 | FileCheck %s --check-prefix=RAN
// RAN: saxpy n=1000 {{.*}} FAIL: argument 1 (%y): {{.*}}1000 of 1000 elements
// RAN-NEXT: saxpy n=1 {{.*}} FAIL
// RAN-NEXT: 0 passed, 2 failed

// Kernels that break the device, the process or do not end take no other case
// along.
// RUN: env FAKE_CUDA_LAUNCH=illegal FAKE_CUDA_DEVICES=1 TILE_CUDA_DRIVER=%fake_cuda not tile-replay %t --filter=cuda.saxpy/n= | FileCheck %s --check-prefix=ILLEGAL
// ILLEGAL: saxpy n=1 {{.*}} FAIL: argument 1:
// ILLEGAL: saxpy n=1000 {{.*}} FAIL: cuStreamSynchronize
// ILLEGAL: 0 passed, {{[23]}} failed, {{[01]}} not checked
// RUN: env FAKE_CUDA_LAUNCH=abort FAKE_CUDA_DEVICES=1 TILE_CUDA_DRIVER=%fake_cuda not tile-replay %t --filter=cuda.saxpy/n=1 | FileCheck %s --check-prefix=ABORT
// ABORT: saxpy n=1 {{.*}} FAIL: argument 1:
// ABORT: saxpy n=1000 {{.*}} FAIL: the process ended by signal 6 (Aborted)
// ABORT: 0 passed, 2 failed
// RUN: env FAKE_CUDA_LAUNCH=hang FAKE_CUDA_DEVICES=1 TILE_CUDA_DRIVER=%fake_cuda not tile-replay %t --filter=cuda.saxpy/n=1 --timeout=1 | FileCheck %s --check-prefix=HANG
// HANG: saxpy n=1 {{.*}} FAIL: argument 1:
// HANG: saxpy n=1000 {{.*}} FAIL: did not end within 1 s
// HANG: 0 passed, 2 failed

// RUN: env TILE_CUDA_DRIVER=/no/driver.so not tile-replay %t 2>&1 | FileCheck %s --check-prefix=DRIVER
// DRIVER: tile-replay: no CUDA driver: /no/driver.so
// RUN: not tile-replay %S/Inputs 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: tile-replay: no case.txt found
// RUN: not tile-replay --time=0 %t 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: tile-replay: --time: expected a number of at least 1, got '0'
// RUN: not tile-replay --bogus %t 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: tile-replay: unknown option '--bogus'; see --help

// Broken folders are failures, whatever is wrong with them.
// RUN: mkdir %t/none/bad %t/none/lost && echo "tile-case 2" > %t/none/bad/case.txt
// RUN: printf 'tile-case 1\nfunction f\ncase -\nimage none.cubin\nkernel none.json\n' > %t/none/lost/case.txt
// RUN: env FAKE_CUDA_DEVICES=1 TILE_CUDA_DRIVER=%fake_cuda not tile-replay %t/none | FileCheck %s --check-prefix=BAD
// BAD: bad {{.*}} FAIL: {{.*}}case.txt: line 1: not understood: 'tile-case 2'
// BAD: f - {{.*}} FAIL: {{.*}}none.cubin: No such file or directory
// BAD: 3 cases: 0 passed, 2 failed, 1 not checked
