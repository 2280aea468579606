/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the options of the compiler with their defaults. */
#include "Tile-c/Compiler.h"

#include <stdio.h>

int main(void) {
  for (size_t i = 0; i < tileCompilerGetOptionCount(); ++i)
    printf("%s=%s\n", tileCompilerGetOptionInfo(i)->name,
           tileCompilerGetOptionInfo(i)->value);
  return 0;
}
