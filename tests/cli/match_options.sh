# SPDX-License-Identifier: BSD-2-Clause
# Options of find and correlate that process matches and maps: --subpixel, --merge, --heatmap, --roi.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'

# --subpixel adds two columns at the end in every format; without it nothing changes.
run 0 find $cpu --kernel reference --subpixel --top 2 board.tif board-fiducial.tif
golden <<'END'
board.tif: 480 x 360 u8, ccoeff_normed, kernel reference on cpu
#  page  template              x    y  width  height  center_x  center_y     score  subpixel_x  subpixel_y  subpixel_score
1     0  board-fiducial.tif  422  286     29      29     436.0     300.0  0.996625     421.997     285.998        0.996626
2     0  board-fiducial.tif  427   22     29      29     441.0      36.0  0.996370     427.008      21.994        0.996380
END
run 0 find $cpu --subpixel --top 2 --format csv cells.tif cells-template.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score,subpixel_x,subpixel_y,subpixel_score
cells.tif,0,cells-template.tif,134,106,25,25,146,118,0.9908849,133.996613,105.991554,0.990896618
cells.tif,0,cells-template.tif,161,51,25,25,173,63,0.990697801,161.008672,51.0036772,0.99071021
END
cp out fine.csv
for kernel in reference direct fft; do
    run 0 find $cpu --kernel $kernel --subpixel --top 2 --format csv cells.tif cells-template.tif
    holds "kernel $kernel gives the same fractions" cmp fine.csv out
done
run 0 find $cpu --subpixel --top 1 --format json stars.tif stars-cluster.tif
prints '"score": 0.992652178, "subpixel_x": 235.9'
run 0 find $cpu --top 2 --format json stars.tif stars-cluster.tif
holds 'no such fields without --subpixel' sh -c '! grep -q subpixel out'
# At the edge of the map there is nothing to fit; mode same continues beyond the image.
run 0 find $cpu --subpixel --top 1 --format csv board-fiducial.tif board-fiducial.tif
prints ',0,0,29,29,14,14,1,0,0,1'
run 0 find $cpu --subpixel --mode same --top 1 --format csv stars-cluster.tif stars-cluster.tif
holds 'mode same fits beyond the image' sh -c "sed 1d out | awk -F, '{ exit !(\$4 == 0 && \$5 == 0 && \$11 != 0 && \$12 != 0 && \$11 * \$11 < 0.25) }'"
run 0 find $cpu --subpixel --method sqdiff --top 1 --format csv board.tif board-fiducial.tif
holds 'sqdiff: the lowest point' sh -c "sed 1d out | awk -F, '{ exit !(\$11 - \$4 < 0.5 && \$4 - \$11 < 0.5 && \$11 != \$4) }'"

# A warning where the scores have a ridge, as along an edge.
awk 'BEGIN { print "P2 64 48 255"; for (y = 0; y < 48; y++) for (x = 0; x < 64; x++) print int(128 + 100 * (1 - 2 / (1 + exp((x - 32.3) / 2)))) + (y * y % 23 == 3) }' >edge.pgm
"$EXACTNCC" find $cpu --subpixel --top 1 --format csv edge.pgm edge.pgm@24,16,17,15 >out 2>err || fail 'find on an edge'
says 'exactncc: warning: edge.pgm: page 0: 1 of 1 matches of edge.pgm@24,16,17,15 lie on a ridge of the scores, as along an edge; their sub-pixel position along it is not reliable'
run 0 find $cpu --quiet --subpixel --top 1 --format csv edge.pgm edge.pgm@24,16,17,15
run 0 find $cpu --top 1 --format csv edge.pgm edge.pgm@24,16,17,15
run 0 find $cpu --subpixel --top 18 --format csv cells.tif cells-template.tif

# --merge: one list, compared with the lists of each template as merged by awk.
awk_merge() { # RULE LIMIT <CSV
    read -r header
    echo "$header"
    awk -F, -v OFS=, '{ print NR, $0 }' | sort -t, -k11,11gr -k6,6n -k5,5n -k1,1n | awk -F, -v rule="$1" -v limit="$2" '
        function least(a, b) { return a < b ? a : b }
        function most(a, b) { return a > b ? a : b }
        function size(v) { return v < 0 ? -v : v }
        function same(k) {
            if (rule == "distance")
                return most(size(X[k] + W[k] / 2 - $5 - $7 / 2), size(Y[k] + H[k] / 2 - $6 - $8 / 2)) < limit
            both = most(0, least(X[k] + W[k], $5 + $7) - most(X[k], $5)) * most(0, least(Y[k] + H[k], $6 + $8) - most(Y[k], $6))
            return both / (W[k] * H[k] + $7 * $8 - both) > limit
        }
        {
            for (k = 1; k <= n; k++)
                if (same(k))
                    next
            n++; X[n] = $5; Y[n] = $6; W[n] = $7; H[n] = $8
            sub(/^[0-9]*,/, "")
            print
        }'
}
templs='-t board-fiducial.tif -t cells-template.tif -t again.tif'
cp board-fiducial.tif again.tif
run 0 find $cpu --min-score 0.2 --min-distance 3 --top 60 --format csv board.tif $templs
cp out all.csv
[ "$(wc -l <all.csv)" -eq 181 ] || fail 'not three lists of 60 matches'
for rule in distance:1 distance:12 distance:40.5 iou:0 iou:0.25 iou:0.5 iou:0.9; do
    run 0 find $cpu --min-score 0.2 --min-distance 3 --top 60 --merge $rule --format csv board.tif $templs
    awk_merge "${rule%:*}" "${rule#*:}" <all.csv >want
    holds "--merge $rule" cmp want out
    [ "$(wc -l <out)" -lt 150 ] || fail "--merge $rule dropped nothing"
done
holds 'of two equal templates the first is kept' sh -c '! grep -q again.tif out'
run 0 find $cpu --merge iou:1 --top 1 --format csv board.tif -t again.tif -t board-fiducial.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score
board.tif,0,again.tif,422,286,29,29,436,300,0.996624589
board.tif,0,board-fiducial.tif,422,286,29,29,436,300,0.996624589
END
run 0 find $cpu --merge distance:5 --subpixel --quiet --top 1 board.tif -t cells-template.tif -t again.tif -t board-fiducial.tif
golden <<'END'
#  page  template              x    y  width  height  center_x  center_y     score  subpixel_x  subpixel_y  subpixel_score
1     0  again.tif           422  286     29      29     436.0     300.0  0.996625     421.997     285.998        0.996626
2     0  cells-template.tif  180  327     25      25     192.0     339.0  0.599252     179.587     327.057        0.601215
END
run 0 find $cpu --merge distance:5 --method sqdiff_normed --top 3 --format csv board.tif -t again.tif -t board-fiducial.tif
holds '--merge: sqdiff matches are in ascending order' awk -F, 'NR > 2 && $10 < last { exit 1 } NR > 1 { last = $10 } END { exit NR != 4 }' out
for rule in iou distance 5 iou: iou:-0.1 iou:1.1 iou:x distance:-1 distance: distance:nan distance:1073741825 'iou:0.5 ' DISTANCE:3; do
    run 2 find --merge "$rule" board.tif board-fiducial.tif
    says "--merge $rule: must be distance:N with N 0 .. 1073741824, or iou:F with F 0 .. 1"
done

# --heatmap: the map in colours, written by correlate and by find.
for method in ccoeff_normed ccorr sqdiff_normed; do
    for mode in valid same; do
        run 0 correlate $cpu --method $method --mode $mode --flat nan --heatmap heat.tif -o map.tif stars.tif stars-cluster.tif
        middle='20 16'
        [ $mode = valid ] || middle='0 0'
        holds "heat map of $method" "$HELPERS/check_heatmap" heat.tif map.tif $method stars.tif $middle
        run 0 find $cpu --method $method --mode $mode --flat nan --heatmap again.tif stars.tif stars-cluster.tif
        holds 'find writes the same' cmp heat.tif again.tif
    done
done
run 0 find $cpu --quiet --top 1 --heatmap heat.tif --overlay over.tif --subpixel stars.tif stars-cluster.tif

# How it is drawn: over the scene, with a fixed range, without a colour bar.
for mode in valid full; do
    middle='20 16'
    [ $mode = valid ] || middle='-20 -16'
    run 0 correlate $cpu --mode $mode --blend 0.4 --heat-range -1,0.5 --heatmap heat.tif -o map.tif stars.tif stars-cluster.tif
    holds "a blend, mode $mode" "$HELPERS/check_heatmap" heat.tif map.tif ccoeff_normed stars.tif $middle 0.4 -1 0.5
    run 0 correlate $cpu --mode $mode --blend 0 --plain --heatmap heat.tif -o map.tif stars.tif stars-cluster.tif
    holds "the scene alone, mode $mode" "$HELPERS/check_heatmap" heat.tif map.tif ccoeff_normed stars.tif $middle 0 plain
done
run 0 correlate $cpu --method sqdiff --heat-range 0,1e9 --plain --heatmap heat.tif -o map.tif stars.tif stars-cluster.tif
holds 'a range for sqdiff' "$HELPERS/check_heatmap" heat.tif map.tif sqdiff stars.tif 20 16 1 0 1e9 plain
run 0 correlate $cpu --channels sum --blend 0.5 --heatmap heat.tif -o map.tif buttons.tif buttons-template.tif
"$HELPERS/make_pages" --crop 0,0,40,30 small.tif cells.tif
run 0 correlate $cpu --heatmap heat.tif -o map.tif small.tif small.tif@3,4,7,6
holds 'a small scene is magnified' "$HELPERS/check_heatmap" heat.tif map.tif ccoeff_normed small.tif 3 3
run 0 correlate $cpu --plain --heatmap heat.tif -o map.tif small.tif small.tif
holds 'a map of one element' "$HELPERS/check_heatmap" heat.tif map.tif ccoeff_normed small.tif 20 15 plain
for blend in '' x -0.1 1.1 nan; do
    run 2 find $cpu --blend "$blend" --heatmap heat.tif stars.tif stars-cluster.tif
    says "--blend $blend: must be a number 0 .. 1"
done
for range in '' 1 1,1 1,0 0,1,2 , 0,x 'nan,1' 0,inf; do
    run 2 find $cpu --heat-range "$range" --heatmap heat.tif stars.tif stars-cluster.tif
    says "--heat-range $range: must be LOW,HIGH: two numbers, LOW below HIGH"
done
if "$EXACTNCC" info --device cpu --format json | grep -q '"png": true'; then
    run 0 find $cpu --heatmap heat.png stars.tif stars-cluster.tif
    holds 'heat map as PNG' sh -c 'head -c 4 heat.png | grep -q PNG'
else
    run 1 find $cpu --heatmap heat.png stars.tif stars-cluster.tif
    says 'built without libpng'
fi
run 2 find $cpu --heatmap heat.tif stars.tif -t stars-cluster.tif -t board-fiducial.tif
says '--heatmap heat.tif: is one name for the outputs of several templates; write {template} into it'
run 2 find $cpu --heatmap heat.tif --page all stars.tif stars-cluster.tif
run 2 find $cpu --heatmap stars.tif stars.tif stars-cluster.tif
says '--heatmap stars.tif: would overwrite an input'
run 2 find $cpu --heatmap x.tif --overlay x.tif stars.tif stars-cluster.tif
says 'is also the name of the overlay'
run 2 correlate $cpu --heatmap x.tif -o x.tif stars.tif stars-cluster.tif
says 'is also the name of the map'
run 2 correlate $cpu --heatmap ./stars-cluster.tif -o x.tif stars.tif stars-cluster.tif
run 1 correlate $cpu --heatmap missing/x.tif -o x.tif stars.tif stars-cluster.tif
[ ! -e x.tif ] || fail 'a map was written although the heat map cannot be'
run 2 find $cpu --heatmap '' stars.tif stars-cluster.tif
says '--heatmap : must be a file name'

# --roi: searches a rectangle of the image; coordinates are those of the image.
run 0 find $cpu --kernel reference --roi 400,10,80,330 --subpixel board.tif board-fiducial.tif --top 2
golden <<'END'
board.tif: 480 x 360 u8, ccoeff_normed, kernel reference on cpu
#  page  template              x    y  width  height  center_x  center_y     score  subpixel_x  subpixel_y  subpixel_score
1     0  board-fiducial.tif  422  286     29      29     436.0     300.0  0.996625     421.997     285.998        0.996626
2     0  board-fiducial.tif  427   22     29      29     441.0      36.0  0.996370     427.008      21.994        0.996380
END
run 0 find $cpu --roi 427,22,29,29 --format csv board.tif board-fiducial.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score
board.tif,0,board-fiducial.tif,427,22,29,29,441,36,0.996370316
END
run 0 find $cpu --roi 0,0,480,360 --top 4 --format csv board.tif board-fiducial.tif
cp out whole
run 0 find $cpu --top 4 --format csv board.tif board-fiducial.tif
holds '--roi with the whole image changes nothing' cmp whole out
run 0 find $cpu --roi 10,10,465,320 --threads 1 --top 4 --overlay over.tif --format csv board.tif board-fiducial.tif
holds '--roi with one thread gives the same' cmp whole out
holds 'the overlay shows the whole image' "$HELPERS/check_overlay" over.tif board.tif 422 286 29 29
run 0 find $cpu --roi 420,280,40,40 --format json board.tif board-fiducial.tif
prints '"width": 40, "height": 40'
prints '"x": 422, "y": 286'
run 0 find $cpu --page all --roi 120,100,50,40 --top 1 --format csv cells.tif cells-template.tif
prints 'cells.tif,0,cells-template.tif,134,106,25,25,'
"$HELPERS/make_pages" --crop 100,40,90,70 cut.tif stars.tif
for method in ccoeff_normed sqdiff; do
    for mode in valid same; do
        run 0 correlate $cpu --method $method --mode $mode --roi 100,40,90,70 --heatmap heat.tif -o map.tif stars.tif stars-cluster.tif
        holds "map of a rectangle, $method, $mode" "$HELPERS/check_map" map.tif score cut.tif stars-cluster.tif $method $mode zero
        middle='120 56'
        [ $mode = valid ] || middle='100 40'
        holds 'and its colours' "$HELPERS/check_heatmap" heat.tif map.tif $method stars.tif $middle
    done
done
run 0 correlate $cpu --roi 100,40,90,70 --mode same --format json -o map.tif stars.tif stars-cluster.tif
prints '"x0": 80, "y0": 24'
for command in find 'correlate -o x.tif'; do
    for roi in '' 1 1,2,3 1,2,3,4,5 1,2,3,0 1,2,0,4 -1,2,3,4 1,-2,3,4 1,2,3,4x 1,2,,4 ' 1,2,3,4' 1.5,2,3,4 1,2,3,1073741825 1,2,3,11111111111111111111; do
        run 2 $command $cpu --roi "$roi" board.tif board-fiducial.tif
        says "--roi $roi: must be X,Y,W,H: whole numbers, X and Y from 0, W and H from 1"
    done
    for roi in 1,0,480,360 0,1,480,360 480,0,1,1 0,360,1,1 0,0,481,1 1073741824,0,1073741824,1; do
        run 1 $command $cpu --roi $roi board.tif board-fiducial.tif
        says "--roi $roi: is not completely inside the 480 x 360 pixels of board.tif"
    done
    run 1 $command $cpu --roi 0,0,28,100 board.tif board-fiducial.tif
    says 'the template (29 x 29 pixels) exceeds --roi (28 x 100)'
done
[ ! -e x.tif ] || fail 'a map was written for a refused rectangle'
finish
