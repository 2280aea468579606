"""What a run leaves that is interrupted while it times the default: interrupt.py RECORD STATE."""
import json
import sys

source = json.load(open(sys.argv[1]))["entries"][0]["source"]
wrong = {"checked": False, "problem": "wrong", "samples": []}
json.dump({"run": f"{source} avx512 N=9", "candidates": [
    {"parameters": "size=32 threads=32", "checked": True, "problem": "", "samples": [1e-9]},
    {"parameters": "size=64 threads=32", "checked": True, "problem": "", "samples": []},
    {"parameters": "size=32 threads=4096", **wrong}, {"parameters": "size=64 threads=4096", **wrong}]}, open(sys.argv[2], "w"))
