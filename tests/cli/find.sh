# SPDX-License-Identifier: BSD-2-Clause
# exactncc find: golden output in every format, and the effect of each option.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu --kernel reference'

run 0 find $cpu --top 4 board.tif board-fiducial.tif
golden <<'END'
board.tif: 480 x 360 u8, ccoeff_normed, kernel reference on cpu
#  page  template              x    y  width  height  center_x  center_y     score
1     0  board-fiducial.tif  422  286     29      29     436.0     300.0  0.996625
2     0  board-fiducial.tif  427   22     29      29     441.0      36.0  0.996370
3     0  board-fiducial.tif   24  282     29      29      38.0     296.0  0.993770
4     0  board-fiducial.tif   26   24     29      29      40.0      38.0  0.993501
END
run 0 find $cpu --top 4 --format csv board.tif board-fiducial.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score
board.tif,0,board-fiducial.tif,422,286,29,29,436,300,0.996624589
board.tif,0,board-fiducial.tif,427,22,29,29,441,36,0.996370316
board.tif,0,board-fiducial.tif,24,282,29,29,38,296,0.993770361
board.tif,0,board-fiducial.tif,26,24,29,29,40,38,0.993500769
END
cp out best4.csv
run 0 find $cpu --top 1 --format json stars.tif stars-cluster.tif
golden <<'END'
{
  "method": "ccoeff_normed",
  "mode": "valid",
  "border": "clamp",
  "matches": [
    {"image": "stars.tif", "page": 0, "template": "stars-cluster.tif", "x": 236, "y": 179, "width": 41, "height": 33, "center_x": 256, "center_y": 195, "score": 0.992652178}
  ],
  "searches": [
    {"image": "stars.tif", "page": 0, "template": "stars-cluster.tif", "width": 320, "height": 240, "pixel": "u16", "channels": 1, "device": "cpu", "kernel": "reference", "found": 1, "crs": null}
  ],
  "failures": [],
  "crs": null,
  "device": "cpu",
  "device_reason": "--device asks for it"
}
END
if command -v python3 >/dev/null; then
    holds 'the output is valid JSON' python3 -c 'import json; json.load(open("out"))'
fi

cpu='--device cpu'

# The output is the same, byte for byte, with every kernel and any number of threads.
for kernel in $("$EXACTNCC" info --device cpu --size 480x360 --template 29x29 | sed -n 's/^feasible kernels, best first://p'); do
    run 0 find --device cpu --kernel "$kernel" --top 4 --format csv board.tif board-fiducial.tif
    holds "kernel $kernel gives the same" cmp best4.csv out
done
for threads in 1 2 3 7; do
    run 0 find --device cpu --threads $threads --top 4 --format csv board.tif board-fiducial.tif
    holds "$threads threads give the same" cmp best4.csv out
done

# --min-score, --max-score, --top and --min-distance.
run 0 find $cpu --top 10 --min-score 0.9937 --format csv board.tif board-fiducial.tif
head -n 4 best4.csv >want
holds '--min-score 0.9937 leaves three matches' cmp want out
run 0 find $cpu --min-score 0.993770361 --format csv board.tif board-fiducial.tif
holds 'a printed score is read back as the same float' cmp want out
run 0 find $cpu --min-score 1 board.tif board-fiducial.tif
prints 'no match'
run 0 find $cpu --min-score 1 --format csv board.tif board-fiducial.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score
END
run 0 find $cpu --min-score 1 --format json board.tif board-fiducial.tif
prints '"matches": []'
run 0 find $cpu --min-score -inf --min-distance 1000 --format csv board.tif board-fiducial.tif
[ "$(wc -l <out)" -eq 2 ] || fail '--min-distance 1000 does not leave exactly one match'
run 0 find $cpu --min-score -inf --min-distance 1 --top 1000000000 --format csv board-fiducial.tif board-fiducial.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score
board-fiducial.tif,0,board-fiducial.tif,0,0,29,29,14,14,1
END
run 0 find $cpu --method sqdiff --max-score 0 --format csv board-fiducial.tif board-fiducial.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score
board-fiducial.tif,0,board-fiducial.tif,0,0,29,29,14,14,0
END
run 0 find $cpu --method sqdiff_normed --max-score 0.04 --top 20 --format csv cells.tif cells-template.tif
holds 'sqdiff_normed: matches are in ascending order' awk -F, 'NR > 2 && $10 < last { exit 1 } NR > 1 { last = $10 }' out
run 0 find $cpu --quiet --top 1 board.tif board-fiducial.tif
golden <<'END'
#  page  template              x    y  width  height  center_x  center_y     score
1     0  board-fiducial.tif  422  286     29      29     436.0     300.0  0.996625
END
# Mode same: the map has the extents of the image, and windows may start outside.
run 0 find $cpu --mode same --top 1 --format csv board.tif board-fiducial.tif
tail -n 1 out >same
sed -n 2p best4.csv >want
holds 'mode same finds the same window' cmp want same
run 0 find $cpu --mode same --min-score 0.99 --format csv board-fiducial.tif board-fiducial.tif
prints ',0,0,29,29,14,14,1'

# Several templates: each has its own matches, in the order of the command line.
run 0 find $cpu --top 1 --format csv cells.tif -t cells-template.tif -t board-fiducial.tif
[ "$(cut -d, -f3 out | tr '\n' ' ')" = 'template cells-template.tif board-fiducial.tif ' ] || fail 'several templates: wrong order or number of matches'

# --page.
"$HELPERS/make_pages" pages.tif board.tif cells.tif stars.tif
run 0 find $cpu --top 1 --page 1 --format csv pages.tif cells-template.tif
prints 'pages.tif,1,cells-template.tif,134,106,25,25,146,118,'
run 0 find $cpu --top 1 --page all --format csv pages.tif cells-template.tif
[ "$(cut -d, -f2 out | tr '\n' ' ')" = 'page 0 1 3 ' ] || { fail '--page all: not every page except the reduced copies'; cat out; }
run 1 find $cpu --page 7 pages.tif cells-template.tif
says 'there is no page 7: the file has 4, counted from 0'

# Unusual file names in CSV (RFC 4180) and JSON.
odd='a "b", c\d.tif'
cp board-fiducial.tif "$odd"
run 0 find $cpu --top 1 --format csv "$odd" "$odd"
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score
"a ""b"", c\d.tif",0,"a ""b"", c\d.tif",0,0,29,29,14,14,1
END
run 0 find $cpu --top 1 --format json "$odd" "$odd"
prints '"image": "a \"b\", c\\d.tif"'
bad=$(printf 'n\303\251 \377\t.tif')
cp board-fiducial.tif "$bad"
run 0 find $cpu --top 1 --format json "$bad" board-fiducial.tif
prints "$(printf '"image": "n\303\251 \\ufffd\\u0009.tif"')"
run 0 find --top 1 --device cpu --format csv -- "$odd" board-fiducial.tif

# A locale with a decimal comma changes nothing.
LC_ALL=de_DE.UTF-8 "$EXACTNCC" find $cpu --top 4 --format csv board.tif board-fiducial.tif >out 2>err
holds 'the output does not depend on the locale' cmp best4.csv out

# Image and template with different sample types.
"$HELPERS/make_pages" --as u16 board16.tif board.tif
"$HELPERS/make_pages" --as f32 boardf.tif board.tif
"$HELPERS/make_pages" --as s16 boards.tif board.tif
"$HELPERS/make_pages" --as s16 templs.tif board-fiducial.tif
run 0 find $cpu --top 4 --format csv board16.tif board-fiducial.tif
sed 's/board16/board/' out >want
holds 'u16 and u8: the same scores as u8' cmp best4.csv want
run 0 find $cpu --top 4 --format csv boards.tif templs.tif
sed 's/boards/board/; s/templs/board-fiducial/' out >want
holds 'signed: the same scores as u8' cmp best4.csv want
run 0 find $cpu --top 4 --format json boards.tif templs.tif
prints '"pixel": "s16"'
run 0 find $cpu --top 4 --method ccorr_normed --format json boards.tif templs.tif
prints '"pixel": "s16"'
run 0 find $cpu --top 4 --format json boards.tif board-fiducial.tif
prints '"pixel": "s16"'
run 0 find $cpu --top 4 --format json boards.tif board16.tif
prints '"pixel": "f32"'
run 0 find $cpu --top 4 --format csv boardf.tif board-fiducial.tif
[ "$(cut -d, -f4,5 out)" = "$(cut -d, -f4,5 best4.csv)" ] || fail 'float: other places than u8'
finish
