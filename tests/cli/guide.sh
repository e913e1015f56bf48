# The guide is true: its command lines run as written, and it has every option and every kernel.
# EXACTNCC_BENCH, where it is set, is the program exactncc-bench; without it the guide's lines for
# that program are not run.
. "${0%/*}/lib.sh"
ln -s "$DATA" data
mkdir bin
ln -s "$EXACTNCC" bin/exactncc
programs='exactncc|printf'
if [ -n "${EXACTNCC_BENCH:-}" ]; then
    ln -s "$EXACTNCC_BENCH" bin/exactncc-bench
    programs="$programs|exactncc-bench"
fi
PATH=$work/bin:$PATH
grep -E "^    ($programs) " "$GUIDE" >lines
[ "$(wc -l <lines)" -ge 20 ] || fail 'too few command lines in the guide'
while IFS= read -r line; do
    checks=$((checks + 1))
    sh -c "$line" >out 2>err || { fail "the guide's line fails: $line"; cat err; }
    [ ! -s err ] || { fail "the guide's line complains: $line"; cat err; }
done <lines
has_options() {
    for option in $(grep -oE -e '--[a-z-]+' out | sort -u); do
        holds "the guide has $option of $1" grep -qF -e "$option" "$GUIDE"
    done
}
for command in find correlate convolve info; do
    run 0 $command --help
    has_options $command
done
if [ -n "${EXACTNCC_BENCH:-}" ]; then
    holds 'the help of exactncc-bench' "$EXACTNCC_BENCH" --help
    cp "$work/holds.out" out
    has_options exactncc-bench
fi
for kernel in $(sed -n 's/^ *K([A-Z0-9_]*, "\([a-z0-9-]*\)".*/\1/p' "$KERNELS"); do
    holds "the guide has the kernel $kernel" grep -qF "\`$kernel\`" "$GUIDE"
done
finish
