// RUN: tile-opt --tile-to-ascend-pipeline %S/../../../examples/matmul_relu.mlir | tile-translate --mlir-to-ascendc | FileCheck %s
// RUN: tile-opt --tile-to-ascend-pipeline %S/../../../examples/vector_add.mlir | tile-translate --mlir-to-ascendc | FileCheck %s --check-prefix=ONE

// The blocks of both cores have one number, and the macros that tell them apart
// are conditions of an 'if' alone: on a device they begin with 'constexpr'.

// CHECK: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
// CHECK: int64_t block = GetBlockIdx();
// CHECK-NEXT: if ASCEND_IS_AIV block /= 2; // vector cores
// CHECK-NOT: {{(if \(|[^f] )ASCEND_IS}}
// CHECK: LocalTensor<half> l1_{{[0-9]+}}[3]{{[{][{]}}L1,
// CHECK: if ASCEND_IS_AIC {
// CHECK-NOT: {{(if \(|[^f] )ASCEND_IS}}
// CHECK: LAUNCH

// ONE-NOT: ASCEND_IS
// ONE: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
// ONE-NOT: ASCEND_IS
// ONE: const int64_t block = GetBlockIdx(),
// ONE-NOT: ASCEND_IS
