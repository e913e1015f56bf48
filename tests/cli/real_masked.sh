# SPDX-License-Identifier: BSD-2-Clause
# Real pictures with 30 percent of the template masked, a hole without data at the match, and other holes: find returns the right place,
# with the score that an independent oracle computes for that window. On the CPU, and on a GPU if there is one.
. "${0%/*}/lib.sh"
real=${EXACTNCC_REAL_DATA:-$REAL_DATA}
[ -f "$real/expected.csv" ] || { echo 'no real pictures here: skipped'; exit 77; }
picture() { "$HELPERS/make_picture" "$@" || fail "make_picture $*"; }
cp "$real"/*.tif .
sed 1d "$real/expected.csv" >rows
devices=cpu
"$EXACTNCC" info --device cuda >/dev/null 2>&1 && devices='cpu cuda'

# The score of the window found: the reference kernel, which is compared with the oracle, computes the one that find printed.
check_window() { # WHAT X Y SCORE
    picture window.tif scene.tif crop=$2,$3,$templ_width,$templ_height
    picture window-holes.tif holes.tif crop=$2,$3,$templ_width,$templ_height
    run 0 correlate --device cpu --kernel reference --no-data 3 --mask mask.tif --image-mask window-holes.tif --format csv -o score.tif window.tif "$templ"
    holds "$1: the oracle's score" "$HELPERS/check_map" score.tif general window.tif "$templ" ccoeff_normed valid clamp no_data=3 mask=mask.tif image_mask=window-holes.tif
    holds "$1: that score to the last bit" "$HELPERS/same_float" "$(field min)" "$4"
}

# With noise a masked match can move: cell-template-noisy scores 0.34 even without a mask. Two pixels are close enough.
is_near() { # X Y
    case $templ in
    *noisy*) [ $(($1 - x)) -le 2 ] && [ $((x - $1)) -le 2 ] && [ $(($2 - y)) -le 2 ] && [ $((y - $2)) -le 2 ] ;;
    *) [ "$1,$2" = "$x,$y" ] ;;
    esac
}

while IFS=, read -r image templ width height templ_width templ_height bits x y rest; do
    picture mask.tif "$templ" as=u8 spare=30
    picture holes.tif "$image" as=u8 spare=7
    picture scene.tif "$image" hole=$((x + templ_width / 3)),$((y + 2)),$((templ_width / 4)),$((templ_height / 3)),3 nodata=3
    for device in $devices; do
        for options in '' '--mode full --border overlap'; do
            run 0 find --device $device $options --no-data 3 --mask mask.tif --image-mask holes.tif --top 1 --format csv scene.tif "$templ"
            is_near "$(field x)" "$(field y)" || fail "$device, $image, $templ, $options: found at $(field x),$(field y), not $x,$y"
            check_window "$device, $image, $templ, $options" "$(field x)" "$(field y)" "$(field score)"
        done
        # The same with the file's own no-data tag.
        run 0 find --device $device --mask mask.tif --top 1 --format csv scene.tif "$templ"
        is_near "$(field x)" "$(field y)" || fail "$device, $image, $templ: by the tag found at $(field x),$(field y), not $x,$y"
    done
done <rows
# All channels of a colour picture. Its template was cut at (190, 60).
picture mask.tif astronaut-rgb-template.tif spare=30
picture holes.tif astronaut-rgb.tif spare=7
for device in $devices; do
    run 0 find --device $device --channels sum --mask mask.tif --image-mask holes.tif --top 1 --format csv astronaut-rgb.tif astronaut-rgb-template.tif
    [ "$(field x),$(field y),$(field score)" = 190,60,1 ] || fail "$device, in colour: $(field x),$(field y),$(field score), not 190,60,1"
done
finish
