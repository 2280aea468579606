// RUN: tile-opt %s --split-input-file --tile-set-target='chip=sm_90a family=NVIDIA' --verify-diagnostics
// RUN: not tile-opt %s --tile-set-target=chip=sm_91 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tile-opt %S/../Pipelines/Inputs/no-target.mlir --tile-set-target='chip=950 family=GPU' 2>&1 | FileCheck %s --check-prefix=GPU

// UNKNOWN: error: unknown target 'sm_91'; known NVIDIA targets: {{.*}}; closest match: sm_90a
// GPU: error: expected a GPU target, got '950'; known GPU targets: sm_80, {{.*}}gfx1201{{$}}

// expected-error @below {{'tile.target' names 'sm_80', but the option 'chip' names 'sm_90a'; leave one of them out}}
module attributes {tile.target = #tile.target<"sm_80">} {
}

// -----

// expected-error @below {{'tile.target' names 'gfx942', but the option 'chip' names 'sm_90a'}}
func.func private @nested() attributes {tile.target = #tile.target<"gfx942">}

// -----

// expected-note @below {{the other one is here}}
module attributes {tile.target = #tile.target<"sm_90a">} {
  // expected-error @below {{'tile.target' names 'sm_89', but another one names 'sm_90a'; a module is compiled for one target}}
  func.func private @f() attributes {tile.target = #tile.target<"sm_89">}
}
