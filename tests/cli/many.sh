# SPDX-License-Identifier: BSD-2-Clause
# Many images, lists, folders, pages and outputs in one process.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'

# some STATUS ARGUMENTS...: as run, for a command that prints results although images failed.
some() {
    want=$1
    shift
    "$EXACTNCC" "$@" >out 2>err
    got=$?
    checks=$((checks + 1))
    [ "$got" -eq "$want" ] || { fail "status $got, not $want: $*"; cat err; }
}

# The results of single runs, with one header.
t='-t board-fiducial.tif -t cells-template.tif'
header=image,page,template,x,y,width,height,center_x,center_y,score
echo $header >want.csv
for image in board.tif cells.tif stars.tif; do
    run 0 find $cpu --top 3 --format csv $t $image
    sed 1d out >>want.csv
done
for threads in 0 1 2 5; do
    run 0 find $cpu --threads $threads --top 3 --format csv $t board.tif cells.tif stars.tif
    holds "many images, $threads threads" cmp want.csv out
done
run 0 find $cpu --top 3 --format csv board.tif -t board-fiducial.tif cells.tif --template cells-template.tif stars.tif
holds 'options and images in any order' cmp want.csv out
run 0 find $cpu --top 2 --format csv -t board-fiducial.tif board.tif cells.tif board.tif
[ "$(cut -d, -f1 out | tr '\n' ' ')" = 'image board.tif board.tif cells.tif cells.tif board.tif board.tif ' ] || fail 'an image that is named twice is not searched twice'

# Small pages are searched several at a time. Nothing that is printed changes, warnings and failures included.
for i in 1 2 3; do cat board.tif cells.tif stars.tif; done | head -c $((100 * 4096 + 100)) >frames.raw
"$HELPERS"/make_huge large.tif 1300 1000 64 0
few='board.tif cells.tif large.tif stars.tif missing.tif cells-template.tif board.tif'
number=0
while read -r options; do
    number=$((number + 1))
    for threads in 1 2 5; do
        case "$threads $shortest" in "2 "?*) continue ;; esac
        # shellcheck disable=SC2086 # several words
        some 1 find $cpu --threads $threads $options
        [ $threads -eq 1 ] && cp out alone && cp err alone.err
        holds "$options, $threads threads" cmp alone out
        holds "$options, $threads threads: messages" cmp alone.err err
    done
done <<END
--raw 64x64:u8 --page all --top 2 --format csv -t cells-template.tif frames.raw
--raw 64x64:u8 --page all --top 3 --format jsonl $t frames.raw
--raw 64x64:u8 --page all --count --min-score 0.5 --format csv $t frames.raw
--raw 64x64:u8 --page all --top 1 --subpixel --format csv $t frames.raw
--raw 64x64:u8 --page all --strict --top 1 --format csv $t frames.raw
--top 2 --format csv $t $few
--top 2 --format csv -t cells-template.tif $few
--top 2 --merge iou:0.2 --format csv $t $few
END
[ $number -eq 8 ] || fail 'not all options were tried'

# Lists.
printf 'board.tif\r\n\ncells.tif\nstars.tif' >list
run 0 find $cpu --top 3 --format csv $t @list
holds 'a list' cmp want.csv out
"$EXACTNCC" find $cpu --top 3 --format csv $t @- <list >out
holds 'a list on standard input' cmp want.csv out
printf 'board-fiducial.tif\ncells-template.tif\n' >templs
run 0 find $cpu --top 3 --format csv -t @templs @list
holds 'a list of templates' cmp want.csv out
cp cells.tif @list.tif
run 0 find $cpu --top 1 --format csv @list.tif cells-template.tif
prints '@list.tif,0,cells-template.tif,134,106'
: >empty
for command in find 'correlate -o {name}.x.tif'; do
    run 1 $command $cpu -t cells-template.tif @missing
    says '@missing: cannot open the list: No such file or directory; check the name'
    run 1 $command $cpu -t cells-template.tif @empty
    says '@empty: has no names; write one per line'
    run 1 $command $cpu -t cells-template.tif @board.tif
    says '@board.tif: has a zero byte, so it is not a list of names'
done

# Folders.
mkdir -p tree/b/c tree/a tree/.hidden
cp board.tif tree/b/2.tif
cp cells.tif tree/a/1.tif
cp stars.tif tree/b/c/3.data
cp stars.tif tree/.hidden/x.tif
cp stars.tif tree/.x.tif
echo text >tree/README
ln -s ../../tree tree/a/loop
run 1 find $cpu -t cells-template.tif tree
says 'tree: is a folder; give --recursive to take all pictures in it'
run 0 find $cpu --recursive --top 1 --format csv -t cells-template.tif tree
[ "$(sed 1d out | cut -d, -f1 | tr '\n' ' ')" = 'tree/a/1.tif tree/b/2.tif tree/b/c/3.data ' ] || { fail '--recursive: other files'; cat out; }
cp out tree.csv
run 0 find $cpu -r --top 1 --format csv -t cells-template.tif tree/
holds 'a slash at the end changes nothing' cmp tree.csv out
mkdir none
run 1 find $cpu -r -t cells-template.tif none
says 'none: there is no picture in this folder'

# What cannot be used is reported, and the rest is done.
head -c 3000 cells.tif >cut.tif
images='board.tif missing.tif cells.tif cut.tif cells-template.tif stars.tif'
for threads in 1 0; do
    some 1 find $cpu --threads $threads --top 3 --format csv $t $images
    holds 'the rest is done' cmp want.csv out
    [ "$(grep -vc '^exactncc: warning: ' err)" -eq 4 ] || { fail 'not three failures and their number'; cat err; }
    says 'exactncc find: missing.tif: cannot open: No such file or directory'
    says 'exactncc find: cut.tif: '
    says 'exceeds cells-template.tif (25 x 25)'
    says 'exactncc find: 3 of 6 images and pages failed; the rest is done'
    some 1 find $cpu --threads $threads --strict --top 3 --format csv $t $images
    [ "$(grep -vc '^exactncc: warning: ' err)" -eq 1 ] || { fail '--strict: not one line'; cat err; }
    says 'missing.tif: cannot open'
    [ "$(sed 1d out | cut -d, -f1 | sort -u)" = board.tif ] || fail '--strict went on'
done
some 1 find $cpu --top 1 --format json $t $images
prints '{"image": "missing.tif", "page": 0, "error": "missing.tif: cannot open'
if command -v python3 >/dev/null; then
    holds 'valid JSON' python3 -c 'import json; d = json.load(open("out")); assert len(d["matches"]) == 6 and len(d["failures"]) == 3 and len(d["searches"]) == 6'
fi
some 1 find $cpu --strict --top 1 --format json $t $images
holds '--strict ends JSON' sh -c 'tail -n 1 out | grep -qx "}"'
run 2 find $cpu --kernel nonsense $t board.tif cells.tif
says nonsense
some 1 find $cpu $t missing.tif gone.tif
[ ! -s out ] || fail 'something is printed although all images failed'

# JSON lines, --count, tables and -o.
run 0 find $cpu --top 1 --format jsonl -t board-fiducial.tif board.tif cells.tif
golden <<'END'
{"image": "board.tif", "page": 0, "template": "board-fiducial.tif", "x": 422, "y": 286, "width": 29, "height": 29, "center_x": 436, "center_y": 300, "score": 0.996624589}
{"image": "cells.tif", "page": 0, "template": "board-fiducial.tif", "x": 173, "y": 176, "width": 29, "height": 29, "center_x": 187, "center_y": 190, "score": 0.705068588}
END
cp out want.jsonl
run 0 find $cpu --count --min-score 0.9 --format csv $t board.tif cells.tif
golden <<'END'
image,page,template,count
board.tif,0,board-fiducial.tif,4
board.tif,0,cells-template.tif,0
cells.tif,0,board-fiducial.tif,0
cells.tif,0,cells-template.tif,18
END
run 0 find $cpu --count --min-score 0.9 -q $t board.tif
golden <<'END'
page  template            count
   0  board-fiducial.tif      4
   0  cells-template.tif      0
END
run 0 find $cpu --count --min-score 0.9 --top 3 --format jsonl cells.tif cells-template.tif
golden <<'END'
{"image": "cells.tif", "page": 0, "template": "cells-template.tif", "count": 3}
END
run 0 find $cpu --count --min-score 0.9 --format json cells.tif cells-template.tif
prints '"counts": ['
run 0 find $cpu --count --min-score 0.5 --merge distance:10 --format csv -t board-fiducial.tif -t board-fiducial.tif board.tif
prints 'board.tif,0,board-fiducial.tif,0'
run 0 find $cpu --kernel reference --top 1 -t board-fiducial.tif board-fiducial.tif cells.tif
golden <<'END'
2 images, ccoeff_normed, kernel reference on cpu
#  image               page  template              x    y  width  height  center_x  center_y     score
1  board-fiducial.tif     0  board-fiducial.tif    0    0     29      29      14.0      14.0  1.000000
2  cells.tif              0  board-fiducial.tif  173  176     29      29     187.0     190.0  0.705069
END
run 0 find $cpu --top 1 -o found.jsonl -t board-fiducial.tif board.tif cells.tif
[ ! -s out ] || fail '-o prints, too'
holds '-o: the ending says the format' cmp want.jsonl found.jsonl
run 0 find $cpu --top 3 --output found.csv $t board.tif cells.tif stars.tif
holds '-o FILE.csv' cmp want.csv found.csv
run 0 find $cpu --top 3 --format csv -o found.xyz $t board.tif cells.tif stars.tif
holds '--format comes before the ending' cmp want.csv found.xyz
run 0 find $cpu --top 3 --format csv -o - $t board.tif cells.tif stars.tif
holds '-o - is standard output' cmp want.csv out
for ending in txt json; do
    run 0 find $cpu --top 1 -o found.$ending $t board.tif
    [ -s found.$ending ] || fail "-o found.$ending wrote nothing"
done
run 2 find $cpu -o found.xml $t board.tif
says '-o found.xml: its ending says no format; let it end in .csv, .json, .jsonl, .geojson or .txt, or give --format'
run 2 find $cpu -o board.tif --format csv $t board.tif
says '-o board.tif: would overwrite an input'
run 1 find $cpu -o missing/found.csv $t board.tif
says 'missing/found.csv: cannot write in its folder'
echo old >old.csv
run 1 find $cpu -o old.csv $t missing.tif
[ "$(cat old.csv)" = old ] || fail 'a failure replaced the file of -o'
some 1 find $cpu --top 3 -o old.csv $t $images
holds 'a failure of some images does not' cmp want.csv old.csv

# Pages.
"$HELPERS/make_pages" pages.tif board.tif cells.tif stars.tif
for pages in all 0-3; do
    run 0 find $cpu --top 1 --page $pages --format csv pages.tif cells-template.tif
    [ "$(sed 1d out | cut -d, -f2 | tr '\n' ' ')" = '0 1 3 ' ] || { fail "--page $pages: other pages"; cat out; }
done
run 0 find $cpu --top 1 --page 1-2 --format csv -t cells-template.tif pages.tif pages.tif
[ "$(sed 1d out | cut -d, -f2 | tr '\n' ' ')" = '1 1 ' ] || fail '--page 1-2: other pages'
run 0 find $cpu --top 1 --page 2 --format csv pages.tif cells-template.tif
prints 'pages.tif,2,'
some 1 find $cpu --top 1 --page 1-9 --format csv pages.tif cells-template.tif
[ "$(sed 1d out | cut -d, -f2 | tr '\n' ' ')" = '1 3 ' ] || fail '--page 1-9: other pages'
says 'there is no page 4: the file has 4, counted from 0'
some 1 find $cpu --page 2-2 pages.tif cells-template.tif 
says 'pages.tif: there is no page to read'

# Outputs per image, page and template.
for image in board cells; do
    run 0 find $cpu --top 3 --overlay want-$image.tif --quiet $image.tif cells-template.tif
    run 0 correlate $cpu $image.tif cells-template.tif -o map-$image.tif --heatmap heat-$image.tif
done
run 0 find $cpu --top 3 --overlay 'over-{name}-{number}-{page}.tif' --heatmap 'hot-{name}-{template}.tif' --format csv -t cells-template.tif cells.tif board.tif
holds 'the first overlay' cmp want-cells.tif over-cells-1-0.tif
[ -e over-board-2-0.tif ] || fail 'there is no second overlay'
holds 'heat maps' cmp heat-board.tif hot-board-cells-template.tif
run 0 correlate $cpu -t cells-template.tif -t board-fiducial.tif board.tif cells.tif -o '{name}-{template}-map.tif' --heatmap '{template}-{name}-heat.tif'
for image in board cells; do
    holds "map of $image" cmp map-$image.tif $image-cells-template-map.tif
    holds "its heat map" cmp heat-$image.tif cells-template-$image-heat.tif
done
[ "$(wc -l <out)" -eq 5 ] || fail 'correlate does not report four maps'
run 0 correlate $cpu --page all pages.tif cells-template.tif -o 'page{page}-map.tif' --coverage 'page{page}-cover.tif'
for page in 0 1 3; do
    run 0 correlate $cpu --page $page pages.tif cells-template.tif -o one-map.tif
    holds "map of page $page" cmp one-map.tif page$page-map.tif
    [ -e page$page-cover.tif ] || fail "no coverage of page $page"
done
some 1 convolve $cpu --page 1-3 --gaussian 2 pages.tif stars.tif -o 'smooth-{name}-{page}.tif' --format json
says 'stars.tif: there is no page 1'
[ ! -e smooth-pages-2.tif ] || fail 'a reduced copy was convolved'
for page in 1 3; do
    run 0 convolve $cpu --page $page --gaussian 2 pages.tif -o one.tif
    holds "convolution of page $page" cmp one.tif smooth-pages-$page.tif
done
run 0 convolve $cpu -r --gaussian 1 tree -o 'tree-{number}.tif' --format csv
[ "$(wc -l <out)" -eq 4 ] || fail 'convolve -r: not three outputs'
some 1 convolve $cpu --gaussian 1 board.tif missing.tif cells.tif -o 'c-{name}.tif'
says '1 of 3 images and pages failed'
[ -e c-cells.tif ] || fail 'convolve stopped at a missing image'
for command in 'find --overlay' 'correlate -o'; do
    some 1 $command 'twice-{name}.tif' $cpu -t cells-template.tif cells.tif tree/a/1.tif ./cells.tif
    says 'twice-cells.tif: was written for an earlier image; write {number} into the name'
    run 2 $command over.tif $cpu -t cells-template.tif board.tif cells.tif
    says 'over.tif: is one name for the outputs of several images; write {name} or {number} into it'
    ending=tif # the maps of several pages may be one TIFF
    [ "$command" = 'find --overlay' ] || ending=npy
    run 2 $command "over-{name}.$ending" --page all $cpu -t cells-template.tif board.tif cells.tif
    says 'is one name for the outputs of several pages; write {page} into it'
done
run 2 find $cpu --overlay '{name}.tif' -t cells-template.tif board.tif cells.tif
says '--overlay board.tif: would overwrite an input'
holds 'inputs are not changed' cmp board.tif "$DATA/board.tif"

# --image-mask is for every image.
run 0 find $cpu --image-mask buttons-mask.tif --top 1 --mode same --format csv -t buttons-template.tif buttons-template.tif buttons-template.tif
[ "$(wc -l <out)" -eq 3 ] || fail '--image-mask: not for both images'

# Which device, and why.
run 0 find --top 1 --format json board.tif board-fiducial.tif
prints '"device_reason": "the CPU is expected to take '
run 0 correlate --format json board.tif board-fiducial.tif -o m.tif
prints 'no more than the 330 ms that CUDA takes to start'
run 0 convolve --gaussian 1 --format json board.tif -o c.tif
prints '"device_reason": "the CPU is expected to take '
run 0 find $cpu --top 1 --format json board.tif board-fiducial.tif
prints '"device_reason": "--device asks for it"'
finish
