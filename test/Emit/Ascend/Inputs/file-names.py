"""Compiles a file under names that a comment of C++ must not take over."""
import os
import shutil
import subprocess
import sys

source, folder, translate = sys.argv[1:]
for name in ("scale\nint y; \x7f\\é.mlir", "scale\\"):
    path = os.path.join(folder, name)
    shutil.copy(source, path)
    subprocess.run([translate, "--tile-to-ascendc", path], check=True)
