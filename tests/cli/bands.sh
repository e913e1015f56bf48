# SPDX-License-Identifier: BSD-2-Clause
# Pictures larger than --max-memory are read, matched and written in bands, with the result of the whole picture.
. "${0%/*}/lib.sh"
cpu='--device cpu'
# Limits of memory. Those under sanitizers make fewer bands, but more than ten.
[ -n "$shortest" ] && low=600K middle=1200K || low=400K middle=600K
"$HELPERS/make_huge" tiles.tif 1000 700 64 0
"$HELPERS/make_huge" same.tif 900 1100 64 3 # shared tiles: many equal scores, also on both sides of a seam
"$HELPERS/make_pages" pages.tif "$DATA/cells.tif" "$DATA/stars.tif" "$DATA/board.tif"
"$HELPERS/make_pages" --as f32 reals.tif "$DATA/board.tif"
"$HELPERS/make_pages" --crop 30,40,21,33 templ.tif "$DATA/board.tif"
"$HELPERS/make_pages" --crop 3,4,50,11 other.tif "$DATA/cells.tif"

# in_bands LIMIT ARGUMENTS...: find prints the same list within the limit.
in_bands() {
    limit=$1
    shift
    run 0 find $cpu --format csv "$@"
    cp out want
    cp err said
    run 0 find $cpu --format csv --max-memory "$limit" "$@"
    holds "find $* in $limit" cmp want out
    holds "find $* in $limit: the same warnings" cmp said err
}
for options in '' '--mode same' '--mode full --border mirror' '--mode same --border overlap --top 40' '--mode full --border zero' \
    '--min-distance 1 --top 200' '--min-distance 1000' '--min-score 0.1 --top 100000' '--count --min-distance 3' '--method sqdiff' \
    '--roi 33,65,800,600' '--threads 1' '--merge distance:20'; do
    one_in 3 || continue
    [ -n "$short" ] || in_bands 300K $options -t tiles.tif@300,400,25,33 -t tiles.tif@500,20,40,9 tiles.tif
    in_bands 300K $options -t templ.tif same.tif
done
in_bands 140K --page all -t templ.tif -t other.tif pages.tif
in_bands 500K -t templ.tif -t other.tif reals.tif # a template is converted with each band
for picture in board.tif cells.tif; do # line by line, with the formats that are read in order
    run 0 convolve $cpu --gaussian 1 -o line.npy "$DATA/$picture"
    in_bands 200K --top 5 -t line.npy@40,50,20,20 line.npy
done

# Pixels that do not count: a no-data value, and a mask file with other tiles.
in_bands $low --no-data 77 --top 50 -t templ.tif same.tif
in_bands 400K --no-data 300 -t templ.tif same.tif
"$HELPERS/make_huge" mask.tif 900 1100 48 1
printf '1 1 1\n' >ones
run 0 convolve $cpu --gradient x -o edges.tif mask.tif
in_bands 4M --image-mask edges.tif --top 50 -t templ.tif same.tif
in_bands 1200K --image-mask mask.tif --top 50 -t templ.tif same.tif
run 1 find $cpu --max-memory 400K --image-mask tiles.tif same.tif templ.tif
says 'tiles.tif: the mask has 1000 x 700 pixels, but same.tif has 900 x 1100; give a mask of the same size'

# The report of a map, without the kernel: the fastest one depends on the rows of a band.
report() {
    sed 's/"kernel": "[^"]*", //' out >"$1"
}

# Maps: the same bytes, the same report.
map_in_bands() { # LIMIT COMMAND ARGUMENTS...
    one_in 2 || return 0
    limit=$1
    shift
    for ending in tif npy; do
        case "$ending $*" in npy*--tile*) continue ;; esac
        case "$short $ending $*" in ?*npy*--mode*) continue ;; esac
        case "$shortest $ending" in ?*npy) continue ;; esac
        run 0 "$@" $cpu --format json -o map.$ending
        mv map.$ending want
        report want-said
        run 0 "$@" $cpu --format json --max-memory "$limit" -o map.$ending
        holds "$* in $limit: the same bytes" cmp want map.$ending
        report said
        holds "$* in $limit: the same report" cmp want-said said
        rm map.$ending
        run 0 "$@" $cpu --format json --max-memory "$limit" --resume -o map.$ending
        holds "$* with a journal: the same bytes" cmp want map.$ending
        report said
        holds "$* with a journal: the same report" cmp want-said said
        holds "$*: nothing is left" [ "$(ls map.$ending*)" = map.$ending ]
    done
}
for options in '' '--mode same --border overlap' '--mode full --border mirror' '--roi 33,65,700,600' '--tile 64' '--mode same --tile 256'; do
    map_in_bands $low correlate $options -t tiles.tif@300,400,25,33 same.tif
done
map_in_bands $middle correlate --no-data 77 -t templ.tif same.tif
map_in_bands 600K correlate --no-data 300 -t templ.tif same.tif
map_in_bands 1M correlate -t templ.tif reals.tif
for options in '--gaussian 2' '--gradient y --border zero' '--gradient x --tile 128'; do
    map_in_bands 600K convolve $options tiles.tif
done
run 0 correlate $cpu --coverage 'cover-{template}.tif' -o 'map-{template}.tif' --no-data 77 -t templ.tif -t other.tif same.tif
mkdir whole
mv map-*.tif cover-*.tif whole
[ -n "$shortest" ] && limit=2M || limit=500K # of many small bands
run 0 correlate $cpu --max-memory $limit --resume --coverage 'cover-{template}.tif' -o 'map-{template}.tif' --no-data 77 -t templ.tif -t other.tif same.tif
for map in whole/*; do holds "several maps in one pass: $map" cmp "$map" "${map#whole/}"; done
run 0 correlate $cpu --tile 64 -o - tiles.tif templ.tif
cp out map.tif
holds 'tiles: the map is right' "$HELPERS/check_map" map.tif score tiles.tif templ.tif ccoeff_normed valid zero
run 0 convolve $cpu --resume --tile 32 --gaussian 1 -o map.tif tiles.tif

# The maps of several pages in one TIFF: each page is the map of its page, also in bands.
"$HELPERS/make_pages" several.tif "$DATA/cells.tif" "$DATA/stars.tif" "$DATA/board.tif"
printf '1\n' >one
for options in '' '--tile 32' '--max-memory 700K' '--tile 64 --max-memory 700K'; do
    one_in 2 || continue
    run 0 correlate $cpu --quiet $options --page all --coverage cover.tif -o book.tif several.tif templ.tif
    run 0 convolve $cpu --quiet $options --page 0-3 --filter one -o same-pages.tif several.tif
    at=0
    for page in 0 1 3; do # page 2 is a reduced copy
        run 0 correlate $cpu --quiet --page $page --coverage cover.npy -o want.npy several.tif templ.tif
        run 0 convolve $cpu --quiet --page $at --filter one -o got.npy book.tif
        holds "page $page of a map with $options" cmp want.npy got.npy
        run 0 convolve $cpu --quiet --page $at --filter one -o got.npy cover.tif
        holds "page $page of the coverage with $options" cmp cover.npy got.npy
        run 0 convolve $cpu --quiet --page $page --filter one -o want.npy several.tif
        run 0 convolve $cpu --quiet --page $at --filter one -o got.npy same-pages.tif
        holds "page $page of a convolution with $options" cmp want.npy got.npy
        at=$((at + 1))
    done
    run 1 find $cpu --page 3 book.tif templ.tif
    says 'there is no page 3'
done
run 0 correlate $cpu --quiet --page all -o '{name}-maps.tif' -t templ.tif several.tif pages.tif
for map in several pages; do run 0 convolve $cpu --quiet --page 2 --filter one -o got.npy $map-maps.tif; done
# A page that fails does not take the others with it; --strict leaves nothing.
"$HELPERS/make_pages" --crop 0,0,20,20 tiny.tif "$DATA/cells.tif"
"$HELPERS/make_pages" uneven.tif "$DATA/cells.tif" tiny.tif
rm -f book.tif
"$EXACTNCC" correlate $cpu --quiet --page all -o book.tif uneven.tif templ.tif >out 2>err && fail 'a page that is too small'
says '1 of 2 images and pages failed; the rest is done'
run 0 convolve $cpu --quiet --filter one -o got.npy book.tif
run 1 correlate $cpu --quiet --strict --page all -o strict.tif uneven.tif templ.tif
holds '--strict leaves nothing' [ -z "$(ls strict.tif* 2>/dev/null)" ]
run 2 correlate $cpu --page all -o map.npy several.tif templ.tif
says '-o map.npy: is one name for the outputs of several pages; write {page} into it'
run 2 correlate $cpu --page all --resume -o map.tif several.tif templ.tif
says 'write {page} into it'

# What cannot be done in bands says so.
for option in '--overlay o.tif' '--heatmap h.tif' '--report r.html' --subpixel '--mode same --border wrap'; do
    run 1 find $cpu $option --max-memory 300K tiles.tif templ.tif
    says "needs the 1000 x 700 pixels of tiles.tif in memory, which are more than the limit of 0.293 MiB; raise --max-memory"
done
run 1 correlate $cpu --max-memory 300K -o map.png tiles.tif templ.tif
says 'map.png: PNG needs the whole map in memory; give a name that ends in .tif or .npy, or raise --max-memory'
run 1 find $cpu --max-memory 20K tiles.tif templ.tif
says 'raise --max-memory'
run 1 find $cpu --max-memory 60K tiles.tif templ.tif
says 'MiB even in bands, more than the limit of 0.0586 MiB; raise --max-memory'
"$EXACTNCC" find $cpu --max-memory 300K --raw 1000x700:u8 - templ.tif <tiles.tif >out 2>err && fail 'a pipe in bands'
says 'a pipe cannot be read in bands; raise --max-memory or give a file'
run 2 correlate $cpu --tile 64 -o map.npy tiles.tif templ.tif
says '--tile: is only for TIFF'
run 2 correlate $cpu --tile 40 -o map.tif tiles.tif templ.tif
says '--tile 40: must be a multiple of 16, 16 .. 16384'
run 2 correlate $cpu --resume -o - tiles.tif templ.tif
says '--resume: needs a file that is written row by row'
run 2 correlate $cpu --resume --heatmap h.tif -o map.tif tiles.tif templ.tif
says '--resume: cannot be combined with --heatmap'

# Damaged in the middle: nothing is left, and the error is that of the whole picture.
"$HELPERS/make_huge" cut.tif 1000 700 64 0
dd if=/dev/null of=cut.tif bs=1 seek=600000 2>/dev/null
run 1 correlate $cpu --max-memory 400K -o damaged.tif cut.tif templ.tif
holds 'a damaged picture leaves nothing' [ -z "$(ls damaged.tif* 2>/dev/null)" ]

# Journals.
run 0 correlate $cpu -o want.tif tiles.tif templ.tif
printf 'exactncc journal 1 0123456789abcdef\n' >map2.tif.journal
printf 'data' >map2.tif.partial
run 1 correlate $cpu --resume -o map2.tif tiles.tif templ.tif
says 'map2.tif.journal: is the journal of another command or of other input files; remove it and map2.tif.partial to begin again'
rm map2.tif.partial
run 0 correlate $cpu --resume -o map2.tif tiles.tif templ.tif # a journal without its rows is worth nothing
cmp -s want.tif map2.tif || fail 'a journal without rows'
finish
