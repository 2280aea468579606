// A target that has no ranks says where there are.

// RUN: tile-opt-plain %s --world-verify=one-rank=Ascend --verify-diagnostics

// expected-error@+1 {{takes !world.ranks, but Ascend runs one rank; ranks run on the CPU, as threads}}
func.func @one_rank(%w: !world.ranks) {
  return
}
