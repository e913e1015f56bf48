# Real pictures with scores from independent integer arithmetic, where they are: EXACTNCC_REAL_DATA, or the folder given to CMake. With every
# kernel that this machine has.
. "${0%/*}/lib.sh"
real=${EXACTNCC_REAL_DATA:-$REAL_DATA}
[ -f "$real/expected.csv" ] || { echo 'no real pictures here: skipped'; exit 77; }
sed 1d "$real/expected.csv" >rows
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
    while IFS=, read -r image part width height part_width part_height bits x y score rest; do
        # the one kernel that serves some of the pictures alone says so
        if [ "$kernel" = tensor-fused ] && { [ "$bits" != 8 ] || [ "$part_width" -gt 57 ]; }; then
            run 1 find --device "$device" --kernel "$kernel" --top 1 "$real/$image" "$real/$part"
            holds "$kernel, $image, $part: refused with the limit" grep -qE 'tensor-fused (serves|takes)' err
            continue
        fi
        run 0 find --device "$device" --kernel "$kernel" --top 1 --format csv "$real/$image" "$real/$part"
        found=$(sed 1d out | awk -F, '{ print $(NF - 4) "," $(NF - 3) }')
        [ "$found" = "$x,$y" ] || fail "$kernel, $image, $part: found at $found, not $x,$y"
        holds "$kernel, $image, $part: the score $score to the last bit" "$HELPERS/same_float" "$score" "$(sed 1d out | awk -F, '{ print $NF }')"
        checks=$((checks + 1))
    done <rows
    seen="$seen $kernel"
done <kernels
case "$seen" in *reference*) ;; *) fail 'the kernel reference did not run' ;; esac
echo "kernels:$seen"
finish
