"""Lines as of tile-replay --json. The smaller size is faster in one round alone; the larger one may be wrong, or unchecked."""
import json
import sys

for size, times in (32, [1.0, 3.0, 3.0]), (64, [2.0, 2.0, 2.0]):
    folder = f"elsewhere/size={size},threads=32/scale.scale/"
    for microseconds in times:
        print(json.dumps({"folder": folder + "N=500", "function": "scale", "case": "N=500", "passed": True,
                          "checked": False, "seconds": microseconds * 1e-6, "minimum": microseconds * 1e-6}))
    good = sys.argv[1] != "wrong" or size == 32
    row = {"folder": folder + "N=1", "function": "scale", "case": "N=1", "passed": good,
           "checked": sys.argv[1] != "unchecked", "seconds": 1e-9, "minimum": 1e-9}
    print(json.dumps(row if good else {**row, "message": "argument 1: 1 of 1 elements differ"}))
