#!/bin/sh
# An assembler whose code is slow: what ptxas 13.0 prints in such cases.
for file; do :; done
printf '\177ELF code' > "$file"
cat <<END
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_89'
ptxas info    : Function properties for k
    64 bytes stack frame, 72 bytes spill stores, 104 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 64 bytes cumulative stack size
ptxas info    : Compile time = 1.0 ms
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function 'k'
ptxas info    : (C7519) warpgroup.arrive is injected in around line 12 by compiler to allow use of registers in GMMA in function 'k'
END
