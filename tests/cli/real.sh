# Real pictures with scores from independent integer arithmetic, where they are: CORRMATCH_REAL_DATA, or the folder given to CMake.
. "${0%/*}/lib.sh"
real=${CORRMATCH_REAL_DATA:-$REAL_DATA}
[ -f "$real/expected.csv" ] || { echo 'no real pictures here: skipped'; exit 77; }
sed 1d "$real/expected.csv" >rows
while IFS=, read -r image part width height part_width part_height bits x y score rest; do
    run 0 find --device cpu --top 1 --format csv "$real/$image" "$real/$part"
    found=$(sed 1d out | awk -F, '{ print $(NF - 4) "," $(NF - 3) }')
    [ "$found" = "$x,$y" ] || fail "$image, $part: found at $found, not $x,$y"
    holds "$image, $part: the score $score to the last bit" "$HELPERS/same_float" "$score" "$(sed 1d out | awk -F, '{ print $NF }')"
    checks=$((checks + 1))
done <rows
finish
