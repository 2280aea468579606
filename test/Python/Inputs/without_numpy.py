import array
import sys

import kernels
import tile

assert "numpy" not in sys.modules
add = tile.compile(kernels.ADD).add
x, y, z = (array.array("f", values) for values in ([1, 2, 3], [10, 20, 30], [0, 0, 0]))
add(x, memoryview(y).toreadonly(), z)
print(z.tolist())
try:
    add(x, y, memoryview(z).toreadonly())
except tile.CallError as error:
    print(error)
