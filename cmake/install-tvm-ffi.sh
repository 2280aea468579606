#!/bin/sh
# usage: install-tvm-ffi.sh FOLDER
# Makes a virtual environment of Python with the package apache-tvm-ffi, for the tests that load kernels from Python. Where it
# cannot be had, without the network say, those tests are left out, and that is no error.
set -eu
folder=$1
"$folder/bin/python" -c 'import tvm_ffi, numpy' 2>/dev/null && exit 0
python3 -c 'import venv, ensurepip' 2>/dev/null || {
  echo "tests of TVM-FFI are left out: no python3-venv"
  exit 0
}
if python3 -m venv "$folder" >"$folder.log" 2>&1 &&
  timeout 120 "$folder/bin/pip" install --disable-pip-version-check --retries 1 --timeout 15 apache-tvm-ffi numpy >>"$folder.log" 2>&1; then
  exit 0
fi
echo "tests of TVM-FFI are left out: $(tail -n 1 "$folder.log")"
rm -rf "$folder"
