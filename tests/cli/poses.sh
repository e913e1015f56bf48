# SPDX-License-Identifier: BSD-2-Clause
# find --angles and --scales: every option of poses, the formats, and what is refused.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'

run 0 find $cpu --angles 0:360 --min-score 0.9 board.tif board-fiducial.tif
golden <<'END'
board.tif: 480 x 360 u8, ccoeff_normed, kernel poses on cpu
#  page  template              x    y  width  height  center_x  center_y    angle   scale     score
1     0  board-fiducial.tif  422  286     29      29     436.0     300.0    0.050  1.0000  0.996625
2     0  board-fiducial.tif  427   22     29      29     441.0      36.0    0.044  1.0000  0.996370
3     0  board-fiducial.tif   24  282     29      29      38.0     296.0    0.035  1.0000  0.993770
4     0  board-fiducial.tif   26   24     29      29      40.0      38.0  359.936  1.0000  0.993501
END
run 0 find $cpu --angles -10:10:2.5 --top 3 --format csv board.tif board-fiducial.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,angle,scale,score
board.tif,0,board-fiducial.tif,422,286,29,29,435.994486391,299.993498098,0.0632704257,1,0.996624589
board.tif,0,board-fiducial.tif,427,22,29,29,441.01393986,35.9875273507,0.0336465543,1,0.996370316
board.tif,0,board-fiducial.tif,24,282,29,29,37.9829437319,296.002191979,0.0961073906,1,0.993770361
END
run 0 find $cpu --scales 0.9:1.1 --top 2 --format csv cells.tif cells-template.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,angle,scale,score
cells.tif,0,cells-template.tif,134,106,25,25,145.998416832,117.991936708,0,1.00218855,0.9908849
cells.tif,0,cells-template.tif,161,51,25,25,173.009510171,63.0029261916,0,1.00251515,0.990697801
END
cp out scaled.csv
run 0 find $cpu --scales 0.9:1.1 --angles 0:0 --top 2 --format csv cells.tif cells-template.tif
holds '--angles 0:0 is the default beside --scales' cmp scaled.csv out
# What only has to be printed or drawn needs few angles under sanitizers.
[ -n "$shortest" ] && few=-5:5 || few=0:360
run 0 find $cpu --angles $few --top 2 --format json --threads 1 board.tif board-fiducial.tif
prints '"center_x": 4'
prints '"scale": 1, "score": 0.996624589}'
run 0 find $cpu --angles $few --top 1 --format jsonl board.tif board-fiducial.tif
run 0 find $cpu --angles $few --min-score 0.9 --count --format csv board.tif board-fiducial.tif
prints 'board.tif,0,board-fiducial.tif,4'

[ -n "$shortest" ] && steps=0:60:6 || steps=0:360:6
# The searches: the exhaustive one finds at least as much, with the same scores where both find.
run 0 find $cpu --angles $steps --min-score 0.9 --format csv --pose-search pyramid board.tif board-fiducial.tif
cp out pyramid.csv
run 0 find $cpu --angles $steps --min-score 0.9 --format csv --pose-search exhaustive board.tif board-fiducial.tif
holds 'both searches find the same' cmp pyramid.csv out
run 0 find $cpu --angles $steps --min-score 0.9 --format csv --pose-search auto board.tif board-fiducial.tif
holds 'auto is the pyramid here' cmp pyramid.csv out
for kernel in direct fft; do
    one_in 2 || continue
    run 0 find $cpu --angles $steps --min-score 0.9 --format csv --pose-search exhaustive --kernel $kernel board.tif board-fiducial.tif
    holds "kernel $kernel gives the same bits" cmp pyramid.csv out
done
# The reference kernel takes 80 times longer: one of the four fiducials, from fewer angles.
[ -n "$shortest" ] && angles=0:12:6 || angles=0:60:6
for kernel in direct reference; do
    run 0 find $cpu --angles $angles --roi 415,280,40,40 --min-score 0.9 --format csv --pose-search exhaustive --kernel $kernel board.tif board-fiducial.tif
    cp out $kernel.csv
done
prints ',422,286,29,29,'
holds 'kernel reference gives the same bits' cmp direct.csv reference.csv

# --support: the corners of the fiducial do not matter.
run 0 find $cpu --angles 0:360 --support disc --min-score 0.9 --format csv board.tif board-fiducial.tif
holds '--support disc finds the four' [ "$(wc -l <out)" -eq 5 ]
holds '--support disc changes the scores' sh -c '! cmp -s pyramid.csv out'
run 0 find $cpu --angles $steps --support whole --min-score 0.9 --format csv board.tif board-fiducial.tif
holds '--support whole is the default' cmp pyramid.csv out

# --polarity: the negative of the template.
run 0 correlate $cpu -o map.tif board.tif board-fiducial.tif
awk 'BEGIN { print "P2 40 30 255"; for (i = 0; i < 1200; i++) { s = (s * 421 + 1663) % 7875; print s % 256 } }' >scene.pgm
awk 'BEGIN { print "P2 40 30 255"; for (i = 0; i < 1200; i++) { s = (s * 421 + 1663) % 7875; print 255 - s % 256 } }' >negative.pgm
run 0 find $cpu --angles 0:360:90 --polarity any --top 1 --format csv negative.pgm scene.pgm@10,8,16,12
prints ',10,8,16,12,17.4'
holds 'the score is -1' grep -q ',1,-1$' out
run 0 find $cpu --angles 0:360:90 --polarity same --min-score 0.9 --format csv negative.pgm scene.pgm@10,8,16,12
holds 'the same polarity is not there' [ "$(wc -l <out)" -eq 1 ]

# --overlap: 1 keeps every pose of a match.
run 0 find $cpu --angles -6:6:3 --min-score 0.9 --overlap 1 --pose-search exhaustive --count --format csv board.tif board-fiducial.tif
prints 'board-fiducial.tif,20'

# An overlay has the turned frame: pixels of its colour where the upright one has none.
run 0 find $cpu --angles 0:360 --top 5 --overlay turned.tif --format csv board.tif board-fiducial.tif
run 0 find $cpu --top 5 --overlay upright.tif --format csv board.tif board-fiducial.tif
holds 'the overlays differ' sh -c '! cmp -s turned.tif upright.tif'
run 0 find $cpu --angles $few --top 5 --report report.html --format csv board.tif board-fiducial.tif
# --roi: coordinates are those of the image. --mask and several templates.
run 0 find $cpu --angles 0:360 --roi 400,200,80,160 --top 1 --format csv board.tif board-fiducial.tif
prints 'board.tif,0,board-fiducial.tif,422,286,29,29,'
run 0 find $cpu --angles 0:90 --top 1 --format csv -t board-fiducial.tif -t cells-template.tif board.tif
holds 'a list per template' [ "$(wc -l <out)" -ge 2 ]
run 0 find $cpu --angles -9:9:9 --channels sum --mask buttons-mask.tif --top 5 --min-score 0.8 --format csv buttons.tif buttons-template.tif
holds 'three channels and a mask' [ "$(wc -l <out)" -ge 5 ]

# What is refused.
run 2 find $cpu --angles 10 board.tif board-fiducial.tif
says '--angles 10: must be A:B or A:B:STEP'
run 2 find $cpu --angles 0:361 board.tif board-fiducial.tif
run 2 find $cpu --angles 0:90:0 board.tif board-fiducial.tif
run 2 find $cpu --angles 0:1:2:3 board.tif board-fiducial.tif
run 2 find $cpu --scales 0.01:1 board.tif board-fiducial.tif
run 2 find $cpu --scales 2:1 board.tif board-fiducial.tif
run 2 find $cpu --angles 0:1 --overlap 2 board.tif board-fiducial.tif
run 2 find $cpu --angles 0:1 --polarity both board.tif board-fiducial.tif
run 2 find $cpu --pose-search pyramid board.tif board-fiducial.tif
says '--pose-search: is about turned and scaled templates; give --angles or --scales, too'
run 2 find $cpu --angles 0:1 --method sqdiff board.tif board-fiducial.tif
says '--method: does not go with --angles and --scales'
for option in '--mode same' '--flat nan' '--min-distance 3' --subpixel '--merge iou:0.5' '--heatmap h.tif' '--shard 1/2'; do
    run 2 find $cpu --angles 0:1 $option board.tif board-fiducial.tif
    says "${option%% *}: does not go with --angles and --scales"
done
run 2 find $cpu --angles 0:1 --min-score -1 board.tif board-fiducial.tif
says '--min-score -1: with --angles or --scales it must be within 0 .. 1'
run 1 find $cpu --angles 0:360:0.0001 board.tif board-fiducial.tif
says 'more than 1000000 poses; give wider steps or smaller ranges'
awk 'BEGIN { print "P2 480 360 1"; for (i = 0; i < 172800; i++) print (i % 7 > 0) }' >holes.pgm
run 1 find $cpu --angles 0:1 --pose-search pyramid --image-mask holes.pgm board.tif board-fiducial.tif
says 'a pyramid cannot serve this: the image has a mask or a no-data value; search exhaustively'
finish
