# SPDX-License-Identifier: BSD-2-Clause
# Real pictures, with scores from independent integer arithmetic, and every kernel of this machine. The pictures are in the folder
# EXACTNCC_REAL_DATA or the one that CMake was given; without them the test is skipped.
. "${0%/*}/lib.sh"
real=${EXACTNCC_REAL_DATA:-$REAL_DATA}
[ -f "$real/expected.csv" ] || { echo 'no real pictures here: skipped'; exit 77; }
sed 1d "$real/expected.csv" >rows
[ -z "$short" ] || sed -i 1q rows
first=$(sed -n 's/^\([^,]*\),\([^,]*\),.*/\1 \2/;1p' rows)
seen=
sed -n 's/^ *K([A-Z0-9_]*, "\([a-z0-9-]*\)", XNCC_DEVICE_\([A-Z]*\),.*XNCC_MATCHES.*/\1 \2/p' "$KERNELS" | tr 'CPUDA' 'cpuda' >kernels
[ -s kernels ] || fail "no kernels in $KERNELS"
while read -r kernel device; do
    if ! "$EXACTNCC" find --device "$device" --kernel "$kernel" --top 1 --quiet "$real/${first% *}" "$real/${first#* }" >/dev/null 2>refusal; then
        grep -qE 'use --device cpu|cannot serve|needs compute capability' refusal || fail "$kernel: $(cat refusal)"
        echo "$kernel: not on this machine"
        continue
    fi
    while IFS=, read -r image templ width height templ_width templ_height bits x y score rest; do
        # the only kernel that serves some of the pictures says so
        if [ "$kernel" = tensor-fused ] && { [ "$bits" != 8 ] || [ "$templ_width" -gt 57 ]; }; then
            run 1 find --device "$device" --kernel "$kernel" --top 1 "$real/$image" "$real/$templ"
            holds "$kernel, $image, $templ: refused with the limit" grep -qE 'tensor-fused (serves|takes)' err
            continue
        fi
        run 0 find --device "$device" --kernel "$kernel" --top 1 --format csv "$real/$image" "$real/$templ"
        found=$(field x),$(field y)
        [ "$found" = "$x,$y" ] || fail "$kernel, $image, $templ: found at $found, not $x,$y"
        holds "$kernel, $image, $templ: the score $score to the last bit" "$HELPERS/same_float" "$score" "$(field score)"
        checks=$((checks + 1))
    done <rows
    seen="$seen $kernel"
done <kernels
case "$seen" in *reference*) ;; *) fail 'the kernel reference did not run' ;; esac
echo "kernels:$seen"
finish
