# SPDX-License-Identifier: BSD-2-Clause
# Overlays, and files that cannot be written.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'

run 0 find $cpu --top 4 --overlay over.tif board.tif board-fiducial.tif
holds 'overlay as RGB TIFF' "$HELPERS/check_overlay" over.tif board.tif 422 286 29 29
run 0 find $cpu --top 1 --overlay over16.tif stars.tif stars-cluster.tif
holds 'overlay of 16 bits' "$HELPERS/check_overlay" over16.tif stars.tif 236 179 41 33
run 0 find $cpu --top 1 --plain --overlay over16.tif stars.tif stars-cluster.tif
holds 'overlay of 16 bits with the extents of the scene' "$HELPERS/check_overlay" over16.tif stars.tif 236 179 41 33 plain
for type in f32 s16 u32 f64; do
    "$HELPERS/make_picture" scene.tif stars.tif as=$type hole=9,9,20,20,9000 nodata=9000 || fail "make_picture $type"
    run 0 find $cpu --top 1 --overlay over.tif scene.tif stars-cluster.tif
    holds "overlay of $type" "$HELPERS/check_overlay" over.tif scene.tif 236 179 41 33
done
"$HELPERS/make_pages" --crop 0,0,40,30 small.tif cells.tif
run 0 find $cpu --top 1 --overlay over.tif small.tif small.tif@3,4,7,6
holds 'a small scene is magnified' "$HELPERS/check_overlay" over.tif small.tif 3 4 7 6
run 0 find $cpu --top 9 --min-score -inf --overlay over.tif small.tif -t small.tif@3,4,1,1 -t small.tif@3,4,2,2 -t small.tif@3,4,3,3 -t small.tif@3,4,4,4 \
    -t small.tif@3,4,5,5 -t small.tif@3,4,6,6 -t small.tif@3,4,7,7 -t small.tif@3,4,8,8 -t small.tif@3,4,9,9 -t small.tif@3,4,10,10 -t small.tif@3,4,11,11 \
    -t small.tif@3,4,12,12 -t small.tif@3,4,13,13 -t small.tif@3,4,14,14 -t small.tif@3,4,15,15 -t small.tif@3,4,16,16
run 0 find $cpu --top 1 --overlay over.tif board.tif board-fiducial.tif
run 0 find $cpu --mode same --top 30 --min-score -inf --overlay edge.tif cells.tif board-fiducial.tif
png=$("$EXACTNCC" info --device cpu --format json | sed -n 's/.*"png": \(true\|false\).*/\1/p')
if [ "$png" = true ]; then
    run 0 find $cpu --top 4 --overlay over.PNG board.tif board-fiducial.tif
    holds 'overlay as PNG' sh -c 'head -c 8 over.PNG | od -An -tx1 | grep -q "89 50 4e 47 0d 0a 1a 0a"'
    if command -v pngtopnm >/dev/null && command -v tifftopnm >/dev/null; then
        pngtopnm over.PNG >a.pnm 2>/dev/null && tifftopnm over.tif >b.pnm 2>/dev/null && holds 'PNG and TIFF show the same' cmp a.pnm b.pnm
    fi
else
    run 1 find $cpu --overlay over.png board.tif board-fiducial.tif
    says 'built without libpng'
fi

# Names that cannot be written are refused before the work starts.
for name in missing/x.tif /dev/null . ; do
    run 1 correlate $cpu cells.tif cells-template.tif -o $name
    run 1 convolve $cpu cells.tif --gaussian 1 -o $name
    run 1 find $cpu --overlay $name cells.tif cells-template.tif
    says "$name"
done
says 'is not a regular file'
run 2 correlate $cpu cells.tif cells-template.tif -o cells.tif
says 'would overwrite an input'
ln -s cells.tif link.tif
run 2 convolve $cpu cells.tif --gaussian 1 -o ./link.tif
run 2 find $cpu --overlay cells-template.tif cells.tif cells-template.tif
holds 'inputs are not changed' cmp cells.tif "$DATA/cells.tif"

# A symbolic link is followed, an old file is replaced only by a complete one, and no temporary file is left.
echo old >target.tif
ln -s target.tif to-target.tif
run 0 correlate $cpu cells.tif cells-template.tif -o to-target.tif
[ -L to-target.tif ] || fail 'the symbolic link was replaced'
holds 'the map is in the file that the link names' "$HELPERS/check_map" target.tif score cells.tif cells-template.tif ccoeff_normed valid zero
echo old >full.tif
for command in 'correlate cells.tif cells-template.tif -o full.tif' 'convolve cells.tif --gaussian 1 -o full.tif' \
    'find cells.tif cells-template.tif --overlay full.tif'; do
    (
        ulimit -f 16
        "$EXACTNCC" $command $cpu >out 2>err
    )
    [ $? -eq 1 ] || fail "a full disk: not status 1: $command"
    checks=$((checks + 1))
    says 'full.tif: cannot write'
    [ "$(cat full.tif)" = old ] || fail "a full disk: the old file is gone: $command"
done
if [ "$png" = true ]; then
    (
        ulimit -f 16
        "$EXACTNCC" find board.tif board-fiducial.tif $cpu --overlay full.png >out 2>err
    )
    [ $? -eq 1 ] || fail 'a full disk: not status 1: PNG'
    [ ! -e full.png ] || fail 'a full disk: a half-written PNG is left'
fi
ls | grep -q '\.tmp$' && fail "temporary files are left: $(ls)"
if [ -w /dev/full ]; then
    for format in table csv json; do
        "$EXACTNCC" find $cpu --format $format board.tif board-fiducial.tif >/dev/full 2>err
        [ $? -eq 1 ] || fail "stdout full: not status 1 with --format $format"
        checks=$((checks + 1))
        says 'standard output: cannot write'
    done
fi
# Standard output takes a picture or the report if the list goes to a file; only one of them.
for option in '--overlay -.png' '--heatmap -.png' '--report -'; do
    [ "$png" = true ] || continue
    "$EXACTNCC" find $cpu $option -o list.csv board.tif board-fiducial.tif >out 2>err || fail "$option: $(cat err)"
    holds "$option: there is something" test -s out
    holds "$option: what was asked for" grep -qaiE '^.PNG|^<!doctype html>' out
    run 2 find $cpu $option board.tif board-fiducial.tif
    says "standard output is for the results; name a file, or one for the results with -o"
done
if [ "$png" = true ]; then
    run 2 find $cpu --overlay -.png --report - -o list.csv board.tif board-fiducial.tif
    says 'standard output is for --report'
    run 2 correlate $cpu --heatmap -.png -o map.tif board.tif board-fiducial.tif
    says 'standard output is for the map'
fi
finish
