// RUN: tile-opt %s --tile-bind-parameters='bindings="BM=64,BM=128"' --verify-diagnostics

// expected-error @below {{binds '@BM' twice}}
module {
  tile.param @BM = 64 in [64, 128]
}
