# SPDX-License-Identifier: BSD-2-Clause
# The guide and the README are true: their command lines run as printed, and the guide names every option and every kernel.
. "${0%/*}/lib.sh"
ln -s "$DATA" data
mkdir bin
ln -s "$EXACTNCC" bin/exactncc
ln -s "$EXACTNCC_BENCH" bin/exactncc-bench
PATH=$work/bin:$PATH
programs='exactncc|exactncc-bench|printf|cat|head'
[ -z "$SANITIZE" ] || programs='exactncc|printf|cat|head' # cli-bench runs exactncc-bench in small sizes
grep -E "^    ($programs) " "$GUIDE" >lines
[ "$(wc -l <lines)" -ge 20 ] || fail 'too few command lines in the guide'
# The README calls the tool where the build puts it.
mkdir -p build/apps
ln -s "$EXACTNCC" build/apps/exactncc
grep -E '^    build/apps/exactncc ' "$README" >readme
[ "$(wc -l <readme)" -ge 5 ] || fail 'too few command lines in the README'
cat readme >>lines
while IFS= read -r line; do
    checks=$((checks + 1))
    sh -c "$line" >out 2>err || { fail "the line fails: $line"; cat err; }
    # exactncc-bench may say what it is timing, and searches without a limit warn
    if grep -qv '^exactncc-bench: [smt]\|^exactncc: warning: ' err; then fail "the line complains: $line"; cat err; fi
done <lines
check_options() { # WHAT; the last run printed its options
    for option in $(grep -oE -e '--[a-z-]+' out | sort -u); do
        holds "the guide has $option of $1" grep -qF -e "$option" "$GUIDE"
    done
}
for command in find correlate convolve track join info; do
    run 0 $command --help
    check_options $command
done
"$EXACTNCC_BENCH" --help >out || fail 'exactncc-bench --help'
check_options exactncc-bench
for kernel in $(sed -n 's/^ *K([A-Z0-9_]*, "\([a-z0-9-]*\)".*/\1/p' "$KERNELS"); do
    holds "the guide has the kernel $kernel" grep -qF "\`$kernel\`" "$GUIDE"
done
finish
