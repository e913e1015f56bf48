# SPDX-License-Identifier: BSD-2-Clause
# exactncc correlate and convolve: the TIFFs equal the oracle's bit for bit, and their tags describe them.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
"$HELPERS/make_pages" pages.tif cells.tif stars.tif
cpu='--device cpu'

for method in ccoeff_normed ccoeff ccorr ccorr_normed sqdiff sqdiff_normed; do
    for mode in valid same; do
        run 0 correlate $cpu --method $method --mode $mode stars-cluster.tif cells-template.tif -o map.tif
        "$HELPERS/make_pages" --as u16 cell16.tif cells-template.tif
        holds "correlate $method $mode" "$HELPERS/check_map" map.tif score stars-cluster.tif cell16.tif $method $mode zero
    done
done
run 0 correlate $cpu --flat nan board-fiducial.tif cells-template.tif -o map.tif
holds 'flat nan' "$HELPERS/check_map" map.tif score board-fiducial.tif cells-template.tif ccoeff_normed valid nan
run 0 correlate $cpu cells.tif cells-template.tif -o map.tif
holds 'the whole map of cells' "$HELPERS/check_map" map.tif score cells.tif cells-template.tif ccoeff_normed valid zero
prints 'map.tif    376     296'
if "$HELPERS/check_map" map.tif score cells.tif cells-template.tif ccoeff valid zero >/dev/null; then fail 'check_map cannot fail'; fi
cp map.tif first.tif
run 0 correlate $cpu --quiet cells.tif cells-template.tif -o map.tif
[ ! -s out ] || fail '--quiet does not suppress the output'
holds 'the same map gives the same file' cmp first.tif map.tif
run 0 correlate $cpu --page 1 pages.tif stars-cluster.tif -o map.tif
run 1 correlate $cpu --page 5 pages.tif stars-cluster.tif -o map5.tif
says 'there is no page 5'
run 0 correlate $cpu --format json cells.tif cells-template.tif -o map.tif
prints '"method": "ccoeff_normed", "mode": "valid"'
run 0 correlate $cpu --format csv cells.tif cells-template.tif -o map.tif
prints 'output,width,height,min,max,kernel,device'
if command -v tiffinfo >/dev/null; then
    tiffinfo map.tif >tags 2>&1
    holds 'tags: float' grep -q 'Sample Format: IEEE floating point' tags
    holds 'tags: software' grep -q 'Software: exactncc [0-9]' tags
    holds 'tags: description' grep -qF '"template": "cells-template.tif", "template_width": 25, "template_height": 25, "method": "ccoeff_normed"' tags
    if grep -q DateTime tags; then fail 'tags: there is a date'; fi
fi

# The filters. Those that the tool computes are compared with the coefficients given here.
convolve() { # FILTER-FILE WAY BORDER OPTIONS...
    filter=$1 way=$2 border=$3
    shift 3
    for scene in cells.tif stars.tif; do
        run 0 convolve $cpu --border "$border" "$@" $scene -o out.tif
        holds "convolve $* $border $scene" "$HELPERS/check_map" out.tif filter $scene "$filter" "$way" "$border"
    done
}
printf '1 0 -1\n2 0 -2\n1 0 -1\n' >x3
printf '1 2 1\n0 0 0\n-1 -2 -1\n' >y3
printf '1 2 0 -2 -1\n4 8 0 -8 -4\n6 12 0 -12 -6\n4 8 0 -8 -4\n1 2 0 -2 -1\n' >x5
printf '1 4 6 4 1\n2 8 12 8 2\n0 0 0 0 0\n-2 -8 -12 -8 -2\n-1 -4 -6 -4 -1\n' >y5
printf '# an even filter, without symmetry\n0.5, -1e-1; 3\t7\n\n+2 .25 1 0 # end\n' >even
convolve x3 convolve clamp --gradient x
convolve y3 convolve zero --gradient y --size 3
convolve x5 convolve clamp --gradient x --size 5
convolve y5 convolve clamp --gradient y --size 5
convolve even convolve clamp --filter even
convolve even convolve zero --filter even
convolve even correlate clamp --filter even --correlate
awk 'BEGIN { s = 0.7; r = 3; for (i = -r; i <= r; i++) { w[i] = exp(-i * i / (2 * s * s)); t += w[i] }
    for (y = -r; y <= r; y++) { for (x = -r; x <= r; x++) printf "%.17g ", w[y] * w[x] / (t * t); print "" } }' >g07
convolve g07 convolve clamp --gaussian 0.7
run 0 convolve $cpu --gaussian 15.75 cells-template.tif -o out.tif
"$HELPERS/make_pages" --as s16 signed.tif cells-template.tif
"$HELPERS/make_pages" --as f32 float.tif cells-template.tif
for scene in signed float; do
    run 0 convolve $cpu --gradient x $scene.tif -o out.$scene.tif
done
run 0 convolve $cpu --gradient x cells-template.tif -o out.u8.tif
holds 'float as u8' "$HELPERS/check_map" out.float.tif filter cells-template.tif x3 convolve clamp
holds 'signed as u8: an offset does not change a gradient' "$HELPERS/check_map" out.signed.tif filter cells-template.tif x3 convolve clamp

# Invalid filter files.
bad() { # TEXT CONTENT
    printf "$2" >bad
    run 1 convolve $cpu --filter bad cells.tif -o no.tif
    says "$1"
}
bad 'bad: contains no numbers' ''
bad 'bad: contains no numbers' '# only words\n\n'
bad 'bad: line 2: has 2 numbers, and the rows before it 3; all rows must have the same length' '1 2 3\n1 2\n'
bad 'bad: line 2: has more than the 2 numbers of the rows before it' '1 2\n1 2 3\n'
bad 'bad: line 1: "x" is not a finite number' '1 x 2\n'
bad 'bad: line 1: "nan" is not a finite number' 'nan\n'
bad 'bad: line 1: "inf" is not a finite number' 'inf\n'
bad 'bad: line 1: "1e39" is not a finite number' '1e39\n'
bad 'bad: line 1: is not text' '1 \000 2\n'
bad 'bad: line 1: a filter has at most 127 x 127' "$(awk 'BEGIN { for (i = 0; i < 128; i++) printf "1 " }')"
bad 'bad: line 128: a filter has at most 127 x 127' "$(awk 'BEGIN { for (i = 0; i < 128; i++) print 1 }' | sed 's/$/\\n/' | tr -d '\n')"
run 1 convolve $cpu --filter missing cells.tif -o no.tif
says 'missing: cannot open'
[ ! -e no.tif ] || fail 'a failure wrote a file'
finish
