# SPDX-License-Identifier: BSD-2-Clause
# Functions for the tests of the programs, which source this file. The environment has EXACTNCC (the tool), EXACTNCC_BENCH, DATA (the
# scenes), HELPERS (the folder of the test programs) and SANITIZE (the sanitizers of this build; empty: none). A test runs in a temporary
# folder, which is removed at its end. The tests use the CPU engine, so they need no GPU.
# EXACTNCC_TEST_SHORT: if it is set, cases that differ in values and sizes alone are left out (kit_short in tests/kit/kit.h says when).
set -u
short=${EXACTNCC_TEST_SHORT:-}
shortest=${short:+${SANITIZE:-}} # set under sanitizers, where everything is many times slower
LC_ALL=C
export LC_ALL
work=$(mktemp -d "${TMPDIR:-/tmp}/exactncc-cli.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
failures=0
checks=0

# one_in NUMBER: whether the next case of a list is run: each, but in the shortest run one in NUMBER.
case_number=0
one_in() {
    case_number=$((case_number + 1))
    [ -z "$shortest" ] || [ $((case_number % $1)) -eq 0 ]
}

fail() {
    failures=$((failures + 1))
    printf 'FAIL %s\n' "$*"
}

# run STATUS ARGUMENTS...: runs the tool with stdout and stderr in the files out and err. The exit status must be STATUS; a failure must
# print one line besides warnings to stderr and nothing to stdout, a success nothing to stderr but warnings.
run() {
    want=$1
    shift
    "$EXACTNCC" "$@" >out 2>err
    got=$?
    checks=$((checks + 1))
    [ "$got" -eq "$want" ] || { fail "status $got, not $want: ${EXACTNCC##*/} $*"; cat err; }
    if [ "$want" -ne 0 ]; then
        [ "$(grep -vc '^exactncc: warning: ' err)" -eq 1 ] || { fail "stderr is not one line: ${EXACTNCC##*/} $*"; cat err; }
        [ ! -s out ] || fail "a failure that prints to stdout: ${EXACTNCC##*/} $*"
    else
        if grep -qv '^exactncc: warning: ' err; then fail "stderr has more than warnings: ${EXACTNCC##*/} $*"; cat err; fi
    fi
}

# says TEXT: stderr of the last run contains the text.
says() {
    checks=$((checks + 1))
    grep -qF -- "$1" err || { fail "stderr does not say '$1', but: $(cat err)"; }
}

# prints TEXT: stdout of the last run contains the text.
prints() {
    checks=$((checks + 1))
    grep -qF -- "$1" out || { fail "stdout does not contain '$1', but:"; head -n 20 out; }
}

# golden: stdout of the last run equals stdin.
golden() {
    cat >golden
    checks=$((checks + 1))
    cmp -s golden out || { fail 'stdout differs:'; diff golden out; }
}

# holds WHAT COMMAND...: the command must succeed; WHAT names the check.
holds() {
    what=$1
    shift
    checks=$((checks + 1))
    "$@" >"$work/holds.out" 2>&1 || { fail "$what"; cat "$work/holds.out"; }
}

# field NAME: the value in the first row of stdout, a CSV, in the column of that name. No value there has a comma.
field() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i } NR == 2 { print $column }' out
}

finish() {
    printf '%d checks, %d failures\n' "$checks" "$failures"
    [ "$failures" -eq 0 ]
    exit
}
