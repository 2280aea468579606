#!/usr/bin/env python3
# The products of amd_products.py, with tiles that loads to LDS bring in: rows are known to be multiples of 16 elements. More
# stages, so that several groups of loads are under way, and one trip besides none and three.
#
# usage: lds_products.py STAGES SIDE DEPTH TYPE...
import contextlib
import io
import re
import sys

import amd_products

ASSUME = """  %c16 = arith.constant 16 : index
  %rest = arith.remui %k, %c16 : index
  %isAligned = arith.cmpi eq, %rest, %c0 : index
  tile.assume %isAligned
"""

def main():
    stages = sys.argv.pop(1)
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        amd_products.main()
    text = re.sub(r"(tile\.copy .*, %[ab]s) :", r"\1 prefer(cp_async) :", text.getvalue())
    text = re.sub(r'(tile.init = "[^"]*")', r"\1, tile.align = 16", text)
    text = re.sub(r" K=(\d+)", lambda size: f" K={int(size[1]) // 16 * 16}", text)
    text = re.sub(r'("M=1 N=\d+ K=)0"', r'\g<0>, \g<1>16"', text)
    text = text.replace("stages(2)", f"stages({stages})")
    print(text.replace("  tile.kernel (", ASSUME + "  tile.kernel ("))


if __name__ == "__main__":
    main()
