# Quiet steps for the scripts of this folder: source it after `cd` to the repository root.
#   step TITLE SECONDS COMMAND...   runs a command into a log, shows one line, a sign of life while it lasts, and the log's end
#   (STEP_TAIL lines of it) if it fails.

logs=build/logs
mkdir -p "$logs"

step() {
  local title=$1 limit=$2
  shift 2
  local log started elapsed=0 status=0 child
  log=$logs/$(printf '%s' "$title" | tr -c 'A-Za-z0-9\n' '-').log
  started=$(date +%s)
  timeout --kill-after=20 "$limit" "$@" >"$log" 2>&1 </dev/null &
  child=$!
  trap 'kill "$child" 2>/dev/null || :; exit 130' INT TERM
  while kill -0 "$child" 2>/dev/null; do
    sleep 1
    elapsed=$(($(date +%s) - started))
    if [ -t 1 ]; then
      printf '\r%s: %s s ' "$title" "$elapsed"
    elif [ "$elapsed" -gt 0 ] && [ $((elapsed % 30)) = 0 ]; then
      printf '%s: %s s, %s\n' "$title" "$elapsed" "$(tail -c 400 "$log" | tr '\r' '\n' | tail -n 1 | cut -c1-80)"
    fi
  done
  wait "$child" || status=$?
  trap - INT TERM
  elapsed=$(($(date +%s) - started))
  [ ! -t 1 ] || printf '\r\033[K'
  if [ "$status" = 0 ]; then
    printf '%s: done (%s s)\n' "$title" "$elapsed"
    return 0
  fi
  [ "$status" != 124 ] || printf '%s: stopped after its limit of %s s\n' "$title" "$limit" >&2
  printf '%s: failed (exit %s); the end of %s:\n' "$title" "$status" "$log" >&2
  tail -n "${STEP_TAIL:-40}" "$log" >&2
  return "$status"
}

# Compile jobs: one per core, fewer where memory is short (MLIR's headers cost a compiler up to 2 GB).
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ { print int($2 / 2000000) }' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  [ "$cores" -le "$memory" ] && echo "$cores" || echo "$memory"
}
