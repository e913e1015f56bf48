# Real pictures with 30 percent of the template masked, a hole without data where the match is and others besides: the right place, and
# the score that an independent oracle has for the window found. On the CPU, and on a GPU where there is one.
. "${0%/*}/lib.sh"
real=${EXACTNCC_REAL_DATA:-$REAL_DATA}
[ -f "$real/expected.csv" ] || { echo 'no real pictures here: skipped'; exit 77; }
picture() { "$HELPERS/make_picture" "$@" || fail "make_picture $*"; }
value() { sed 1d out | awk -F, -v column="$1" '{ print $column }'; } # of the only row
cp "$real"/*.tif .
sed 1d "$real/expected.csv" >rows
devices=cpu
"$EXACTNCC" info --device cuda >/dev/null 2>&1 && devices='cpu cuda'

# The window found: its score by the reference kernel, held against the oracle, is the one that find has given.
check_window() { # WHAT X Y SCORE
    picture window.tif scene.tif crop=$2,$3,$part_width,$part_height
    picture window-holes.tif holes.tif crop=$2,$3,$part_width,$part_height
    run 0 correlate --device cpu --kernel reference --no-data 3 --mask mask.tif --image-mask window-holes.tif --format csv -o score.tif window.tif "$part"
    holds "$1: the oracle's score" "$HELPERS/check_map" score.tif general window.tif "$part" ccoeff_normed valid clamp no_data=3 mask=mask.tif image_mask=window-holes.tif
    holds "$1: that score to the last bit" "$HELPERS/same_float" "$(value 4)" "$4"
}

# Under noise a masked window may lie beside the whole one: cell-template-noisy scores 0.34 without any mask. Two pixels are near enough.
is_near() { # X Y
    case $part in
    *noisy*) [ $(($1 - x)) -le 2 ] && [ $((x - $1)) -le 2 ] && [ $(($2 - y)) -le 2 ] && [ $((y - $2)) -le 2 ] ;;
    *) [ "$1,$2" = "$x,$y" ] ;;
    esac
}

while IFS=, read -r image part width height part_width part_height bits x y rest; do
    picture mask.tif "$part" as=u8 spare=30
    picture holes.tif "$image" as=u8 spare=7
    picture scene.tif "$image" hole=$((x + part_width / 3)),$((y + 2)),$((part_width / 4)),$((part_height / 3)),3 nodata=3
    for device in $devices; do
        for options in '' '--mode full --border overlap'; do
            run 0 find --device $device $options --no-data 3 --mask mask.tif --image-mask holes.tif --top 1 --format csv scene.tif "$part"
            is_near "$(value 4)" "$(value 5)" || fail "$device, $image, $part, $options: found at $(value 4),$(value 5), not $x,$y"
            check_window "$device, $image, $part, $options" "$(value 4)" "$(value 5)" "$(value 8)"
        done
        # The file's own tag says the same.
        run 0 find --device $device --mask mask.tif --top 1 --format csv scene.tif "$part"
        is_near "$(value 4)" "$(value 5)" || fail "$device, $image, $part: by the tag found at $(value 4),$(value 5), not $x,$y"
    done
done <rows
# All channels of a picture in colour, of which the template was cut at (190, 60).
picture mask.tif astronaut-rgb-template.tif spare=30
picture holes.tif astronaut-rgb.tif spare=7
for device in $devices; do
    run 0 find --device $device --channels sum --mask mask.tif --image-mask holes.tif --top 1 --format csv astronaut-rgb.tif astronaut-rgb-template.tif
    [ "$(value 4),$(value 5),$(value 8)" = 190,60,1 ] || fail "$device, in colour: $(value 4),$(value 5),$(value 8), not 190,60,1"
done
finish
