// RUN: tile-opt %s --split-input-file --tile-set-target=default=sm_90a | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-set-target='default=sm_90a family=GPU' | FileCheck %s

// The attribute of the module, of an op in it, or the default, in this order.

// CHECK: module attributes {tile.target = #tile.target<"sm_80">}
module attributes {tile.target = #tile.target<"sm_80">} {
}

// -----

// CHECK: module attributes {tile.target = #tile.target<"gfx942">}
// CHECK: func.func private @f() attributes {tile.target = #tile.target<"gfx942">}
func.func private @f() attributes {tile.target = #tile.target<"gfx942">}
func.func private @g()

// -----

// CHECK: module attributes {tile.target = #tile.target<"sm_90a">}
func.func private @default()
