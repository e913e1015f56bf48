# Sourced by the tests of the tool. Needs EXACTNCC (the tool), DATA (the scenes) and HELPERS (the folder of the test programs); works in a
# folder of its own, which goes when the test ends. Nothing here needs a GPU: the CPU engine is asked for.
set -u
LC_ALL=C
export LC_ALL
work=$(mktemp -d "${TMPDIR:-/tmp}/exactncc-cli.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
failures=0
checks=0

fail() {
    failures=$((failures + 1))
    printf 'FAIL %s\n' "$*"
}

# run STATUS ARGUMENTS...: the tool's stdout and stderr go to the files out and err; its status must be STATUS, and a failure must say so
# in one line.
run() {
    want=$1
    shift
    "$EXACTNCC" "$@" >out 2>err
    got=$?
    checks=$((checks + 1))
    [ "$got" -eq "$want" ] || { fail "status $got, not $want: exactncc $*"; cat err; }
    if [ "$want" -ne 0 ]; then
        [ "$(wc -l <err)" -eq 1 ] || { fail "stderr is not one line: exactncc $*"; cat err; }
        [ ! -s out ] || fail "a failure that prints to stdout: exactncc $*"
    else
        [ ! -s err ] || { fail "stderr is not empty: exactncc $*"; cat err; }
    fi
}

# says TEXT: the last run's stderr holds the text.
says() {
    checks=$((checks + 1))
    grep -qF -- "$1" err || { fail "stderr does not say '$1', but: $(cat err)"; }
}

# prints TEXT: the last run's stdout holds the text.
prints() {
    checks=$((checks + 1))
    grep -qF -- "$1" out || { fail "stdout does not hold '$1', but:"; head -n 20 out; }
}

# golden: the last run's stdout is what stdin holds.
golden() {
    cat >golden
    checks=$((checks + 1))
    cmp -s golden out || { fail 'stdout differs:'; diff golden out; }
}

# holds WHAT COMMAND...: the command succeeds.
holds() {
    what=$1
    shift
    checks=$((checks + 1))
    "$@" >"$work/holds.out" 2>&1 || { fail "$what"; cat "$work/holds.out"; }
}

finish() {
    printf '%d checks, %d failures\n' "$checks" "$failures"
    [ "$failures" -eq 0 ]
    exit
}
