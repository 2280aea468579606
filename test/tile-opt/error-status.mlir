// A pass of upstream that reports an error and goes on is neither success nor leaves a file.
// RUN: rm -f %t
// RUN: not tile-opt-plain %s --lower-affine -o %t 2>&1 | FileCheck %s
// RUN: test ! -e %t

// Where the error is expected, all is well.
// RUN: tile-opt-plain %s --lower-affine --verify-diagnostics -o %t
// RUN: test -e %t

func.func @f(%n: index) -> index {
  // CHECK: error: division by non-positive value is not supported
  // expected-error @below {{division by non-positive value is not supported}}
  %blocks = affine.apply affine_map<()[n] -> (n floordiv 0)>()[%n]
  return %blocks : index
}
