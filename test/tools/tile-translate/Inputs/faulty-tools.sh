# usage: faulty-tools.sh TOOL FOLDER FILE.mlir
# Compiles a file for three targets with a tool that goes wrong in each of its ways.
tool=$1 folder=$2 file=$3
export TILE_PTXAS="$tool" TILE_LLD="$tool" TILE_ASCEND_CXX="$tool" TILE_TOOL_SECONDS FAULT CHILD="$folder/child" TMPDIR="$folder/tmp"
mkdir "$TMPDIR"
compile() {
  "$@" && echo "left over: exit code 0 of $*"
  [ -e "$folder/code" ] && echo "left over: a file"
  [ "$(ls "$TMPDIR")" ] && echo "left over: $(ls "$TMPDIR")"
}
for FAULT in killed hangs prints writes nothing silent; do
  echo "== $FAULT"
  [ $FAULT = hangs ] && TILE_TOOL_SECONDS=1 || TILE_TOOL_SECONDS=60
  compile tile-translate --tile-to-cubin --chip=sm_80 "$file" -o "$folder/code"
  compile tile-translate --tile-to-hsaco --chip=gfx942 "$file" -o "$folder/code"
  compile tile-run --target=ascend "$file" N=10
  if [ $FAULT = hangs ]; then
    # One that has ended stays a zombie where nobody collects orphans, as in containers.
    state=$(sed 's/.*) \(.\).*/\1/' "/proc/$(cat "$CHILD")/stat" 2>/dev/null)
    case $state in '' | Z | X) echo "no child" ;; *) echo "left over: a child" ;; esac
  fi
done
echo "== a limit that is none"
FAULT=nothing TILE_TOOL_SECONDS=soon
compile tile-translate --tile-to-cubin --chip=sm_80 "$file" -o "$folder/code"
exit 0
