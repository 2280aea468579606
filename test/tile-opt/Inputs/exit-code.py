"""Runs a command and fails unless it ends with the given exit code."""
import subprocess
import sys

code = subprocess.call(sys.argv[2:])
sys.exit(0 if code == int(sys.argv[1]) else f"expected exit code {sys.argv[1]}, got {code}")
