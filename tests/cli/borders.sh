# SPDX-License-Identifier: BSD-2-Clause
# --mode and --border of correlate and find: every map equals the oracle's bit for bit, and find returns its best places.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'
picture() { "$HELPERS/make_picture" "$@" || fail "make_picture $*"; }
picture scene.tif cells.tif crop=100,40,44,31
picture templ.tif cells.tif crop=110,60,13,8

for mode in valid same full; do
    for border in clamp zero mirror wrap overlap; do
        for method in ccoeff_normed sqdiff coverage; do
            run 0 correlate $cpu --mode $mode --border $border --method $method -o map.tif scene.tif templ.tif
            holds "$mode $border $method" "$HELPERS/check_map" map.tif general scene.tif templ.tif $method $mode $border
        done
    done
done
# A template larger than the image.
for border in clamp zero mirror wrap overlap; do
    run 0 correlate $cpu --mode full --border $border -o map.tif templ.tif scene.tif
    holds "larger, $border" "$HELPERS/check_map" map.tif general templ.tif scene.tif ccoeff_normed full $border
done
run 1 correlate $cpu -o none.tif templ.tif scene.tif
says 'the template (44 x 31 pixels) exceeds templ.tif (13 x 8)'
if "$HELPERS/check_map" map.tif general templ.tif scene.tif ccoeff_normed full clamp >/dev/null; then fail 'check_map cannot fail'; fi
run 0 correlate $cpu --mode same --border overlap --min-valid 1 -o map.tif scene.tif templ.tif
holds 'overlap, the whole template must be inside' "$HELPERS/check_map" map.tif general scene.tif templ.tif ccoeff_normed same overlap min=1
run 0 correlate $cpu --mode full --border overlap --min-valid 0 --format json -o map.tif scene.tif templ.tif
prints '"min_valid": 0}'
holds 'overlap, one pixel inside is enough' "$HELPERS/check_map" map.tif general scene.tif templ.tif ccoeff_normed full overlap min=1e-300
run 0 correlate $cpu --mode full --border overlap --min-valid 0.25 --format json -o map.tif scene.tif templ.tif
prints '"mode": "full", "border": "overlap", "x0": -12, "y0": -7, "pixel": "u8", "channels": 1, "mask": null'
prints '"min_valid": 0.25'

# --roi crops the image, so borders apply at the edges of the rectangle.
for border in mirror wrap overlap; do
    run 0 correlate $cpu --mode full --border $border --roi 5,6,20,17 -o map.tif scene.tif templ.tif
    picture cut.tif scene.tif crop=5,6,20,17
    run 0 correlate $cpu --mode full --border $border -o cut-map.tif cut.tif templ.tif
    holds "roi, $border" "$HELPERS/check_map" map.tif general cut.tif templ.tif ccoeff_normed full $border
done

# A template that reaches beyond a corner of the image is found with the border overlap only.
picture half.tif scene.tif crop=0,0,7,5
run 0 find $cpu --mode full --border overlap --min-valid 0.02 --top 1 --format csv half.tif scene.tif
prints 'half.tif,0,scene.tif,0,0,44,31,21.5,15,1'
run 0 find $cpu --mode full --border overlap --min-valid 0.03 --top 1 half.tif scene.tif
prints 'no match'
picture moved.tif cells.tif crop=105,44,39,27
run 0 find $cpu --mode full --border overlap --top 1 --format csv moved.tif scene.tif
prints 'moved.tif,0,scene.tif,-5,-4,44,31,16.5,11,1'
# --subpixel uses the same --min-valid when less than half of the template is inside the image.
picture inner.tif scene.tif crop=10,8,20,16
run 0 find $cpu --mode full --border overlap --min-valid 0.1 --subpixel --top 1 --format csv inner.tif scene.tif
prints 'inner.tif,0,scene.tif,-10,-8,44,31,11.5,7,1,'
holds 'a fraction of a pixel' awk -F, 'NR == 2 && $11 != $4 && $12 != $5 && ($11 - $4) ^ 2 < 1 && ($12 - $5) ^ 2 < 1 { n++ } END { exit n != 1 }' out
run 0 find $cpu --mode same --border mirror --subpixel --top 1 --format csv scene.tif templ.tif
prints 'scene.tif,0,templ.tif,10,20,13,8,16,23.5,1'
run 0 find $cpu --mode full --border wrap --top 1 --format json scene.tif templ.tif
prints '"mode": "full"'
prints '"border": "wrap"'
finish
