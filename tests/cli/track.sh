# SPDX-License-Identifier: BSD-2-Clause
# exactncc track: golden output in every format, the effect of each option, and what is refused.
. "${0%/*}/lib.sh"
cp "$DATA"/flow-*.tif "$DATA"/board.tif "$DATA"/stars.tif "$DATA"/buttons.tif .
cpu='--device cpu'
flow='flow-1.tif flow-2.tif'
picture() { "$HELPERS/make_picture" "$@" || fail "make_picture $*"; }
rows() { echo $(($(wc -l <out) - 1)); }
column() { cut -d, -f"$1" out | sed -n "$2p"; }

# The vortex: its true displacement is known everywhere. Points at the edges have no more room than the image.
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --format csv $flow
holds 'the header begins with the displacement' grep -q '^x,y,dx,dy,score,whole_dx,whole_dy,second,ratio,snr,curve_xx,' out
holds 'the grid has 13 x 6 points' [ "$(rows)" -eq 78 ]
near() { # LIMIT: the mean distance from the truth of the points in the middle
    awk -F, -v most="$1" 'NR > 1 && $1 > 30 && $1 < 290 && $2 > 30 && $2 < 210 {
        rx = $1 - 159.5; ry = $2 - 119.5; k = 1 / 6 / (1 + (rx * rx + ry * ry) / 3600)
        sum += sqrt(($3 + ry * k) ^ 2 + ($4 - rx * k) ^ 2); n++ }
        END { if (n < 20 || sum / n > most) { print n, sum / n; exit 1 } }' out
}
holds 'displacements are true' near 0.2
cp out first.csv
run 0 track --device auto --chip 24 --grid 24x40 --search 8 --format csv --threads 1 --kernel reference $flow
holds 'kernels and threads do not matter' cmp first.csv out
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --max-memory 200K $flow -o parts.csv
holds 'reading in parts does not matter' cmp first.csv parts.csv
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --fit gaussian --format csv $flow
holds 'a Gaussian fit is true, too' near 0.2
run 0 track $cpu --chip 24 --grid 24x40 --search 12 --fit oversampled --oversample 8 --format csv $flow
holds 'an oversampled fit is true, too' near 0.2
holds 'oversampled by 8' awk -F, 'NR > 1 && $1 > 30 && $1 < 290 && $2 > 30 && $2 < 210 && ($3 * 8 != int($3 * 8)) { exit 1 }' out
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --fit whole --format csv $flow
holds 'whole pixels' awk -F, 'NR > 1 && $NF != "missing" && ($3 != $6 || $4 != $7) { exit 1 }' out
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --back --format csv $flow
holds 'the way back is short' awk -F, 'NR > 1 && $18 < 0.2 { n++ } END { exit n < 50 }' out
run 0 track $cpu --chip 24 --grid 8 --search 12 --outliers 2 --format csv $flow
cp out marked.csv
holds 'outliers are marked' awk -F, 'NR > 1 && $NF ~ /outlier/ { n++; if ($18 <= 2) exit 1 } END { exit n < 5 || n > 150 }' out
run 0 track $cpu --chip 24 --grid 8 --search 12 --outliers 2 --replace --format csv $flow
holds 'all is there and no point is far from the truth' awk -F, 'NR > 1 { rx = $1 - 159.5; ry = $2 - 119.5
    k = 1 / 6 / (1 + (rx * rx + ry * ry) / 3600); e = sqrt(($3 + ry * k) ^ 2 + ($4 - rx * k) ^ 2)
    if ($NF !~ /edge/ && e > 3) exit 1; n += $NF ~ /replaced/ } END { exit n < 5 }' out
holds 'residuals are those of what was found' sh -c 'cut -d, -f18 marked.csv | cmp -s - "$0"' /dev/stdin <<END
$(cut -d, -f18 out)
END
for method in ccoeff ccorr ccorr_normed; do
    run 0 track $cpu --chip 24 --grid 24x40 --search 8 --method $method --format csv $flow
    holds "$method finds most" awk -F, 'NR > 1 && $NF == "" { n++ } END { exit n < 30 }' out
done

# Several passes: the fine one searches around what the coarse one predicts.
run 0 track $cpu --chip 48,24 --search 12 --grid 24x40 --format csv $flow
holds 'two passes are true' near 0.2
holds 'searches of 4 pixels find displacements of 5' awk -F, 'NR > 1 && $NF == "" && ($4 > 4.5 || $4 < -4.5) { n++ } END { exit n < 2 }' out
cp out passes.csv
run 0 track $cpu --chip 48x48,24x24 --search 12,4x4 --grid 24x40 --threads 1 --max-memory 200K $flow -o parts.csv
holds 'reading in parts does not matter to several passes' cmp passes.csv parts.csv
run 0 track $cpu --chip 64,48,24 --search 12,6,3 --points - --format csv $flow <<END
100.5 80.5
END
holds 'points need only the chips around them' [ "$(column 6,7 2)" = '3,-4' ]

# Image deformation: truer where displacements change within a chip, the same for images that are read in parts.
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --fit gaussian --deform 3 --format csv $flow
holds 'a deformed image shows more' near 0.08
cp out deformed.csv
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --fit gaussian --deform 3 --threads 1 --max-memory 400K $flow -o parts.csv
holds 'reading in parts does not matter to deformed images' cmp deformed.csv parts.csv
run 0 track $cpu --chip 48,24 --grid 12 --search 12 --fit gaussian --deform 2 --back --outliers 2 --format csv $flow
holds 'deformed images on the way back' awk -F, 'NR > 1 && $18 < 0.05 { n++ } END { exit n < 200 }' out

# Points, with predictions and without.
printf 'x,y,dx,dy\n# two points\n100.5 80.5\n100.5, 80.5; 3 -7\n\n' >points.txt
run 0 track $cpu --chip 24 --search 2 --points points.txt $flow
golden <<'END'
    x     y     dx      dy     score  whole_dx  whole_dy    second  ratio    snr  curve_xx  curve_xy  curve_yy  cov_xx  cov_xy  cov_yy  valid  state
100.5  80.5  2.000  -2.000  0.102947         2        -2  0.016473  6.249   6.61         -         -         -       -       -       -  1.000  edge
100.5  80.5  2.666  -5.000  0.668739         3        -5  0.111919  5.975  10.81   0.29730         -         -       -       -       -  1.000  edge
END
run 0 track $cpu --chip 24 --search 2 --points points.txt --shift 1,2 --format jsonl $flow
golden <<'END'
{"x": 100.5, "y": 80.5, "dx": 0.86104290394471827, "dy": 4, "score": -0.00666929036, "whole_dx": 1, "whole_dy": 4, "second": -0.00667981757, "ratio": null, "snr": 0.91858380464525036, "curve_xx": 0.03890647180378437, "curve_xy": null, "curve_yy": null, "cov_xx": null, "cov_xy": null, "cov_yy": null, "valid": 1, "state": "edge"}
{"x": 100.5, "y": 80.5, "dx": 2.7427780347838078, "dy": -4.0494278380353341, "score": 0.918954492, "whole_dx": 3, "whole_dy": -4, "second": 0.0302794371, "ratio": 30.349127336369765, "snr": 14.061019185191512, "curve_xx": 0.3869137167930603, "curve_xy": -0.026192516088485718, "curve_yy": 0.54037594795227051, "cov_xx": 0.00073225157728668694, "cov_xy": 3.5492903212255203e-05, "cov_yy": 0.00052429827876165468, "valid": 1, "state": ""}
END
cat points.txt | run 0 track $cpu --chip 24x20 --search 3x2 --points - --format json $flow
prints '{"displacements": ['
# Several pairs are one ensemble: the same pair twice gives the scores of one.
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --format csv $flow $flow
holds 'an ensemble of one pair twice' awk -F, 'NR == FNR { dx[FNR] = $3; s[FNR] = $5; next }
    FNR > 1 && ($3 - dx[FNR] > 1e-4 || dx[FNR] - $3 > 1e-4 || $5 != s[FNR]) { exit 1 }' first.csv out

# Bands and pictures.
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --bands 'band-{band}.tif' -o table.txt --vectors vectors.png $flow
[ "$(ls band-*.tif | wc -l)" -eq 13 ] || fail "bands: $(ls band-*)"
holds 'a table' grep -q '^ *x  *y  *dx' table.txt
"$HELPERS/dump_picture" band-dx.tif 0 sum dx.npy counts.npy || fail 'dump_picture band-dx.tif'
holds 'a band is a picture of 13 x 6' sh -c 'head -c 128 dx.npy | tr -d "\000" | grep -q "(6, 13"'
holds 'a picture of the vectors' [ -s vectors.png ]
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --bands all.npy --quiet --vectors vectors.tif --arrows 3 $flow
holds 'an array of 6 x 13 x 13' sh -c 'head -c 128 all.npy | tr -d "\000" | grep -q "(6, 13, 13)"'

# Pixels that do not count: a mask, a no-data value, alpha.
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --format csv --mask1 flow-1.tif --mask2 flow-2.tif --min-valid 0.9 $flow
holds 'masks of what is above 0 change nothing but zeros' [ "$(rows)" -eq 78 ]
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --format csv --no-data 20 --min-valid 0.2 $flow
holds 'valid fractions' awk -F, 'NR > 1 && $17 < 1 { n++ } END { exit n < 50 }' out
run 0 track $cpu --chip 24 --grid 24x40 --search 8 --format csv --no-data 20 --min-valid 1 $flow
holds 'too few pixels' awk -F, 'NR > 1 && $NF == "missing" { n++ } END { exit n < 50 }' out
run 0 track $cpu --channels sum --chip 16 --search 4 --format csv buttons.tif buttons.tif
holds 'three channels' awk -F, 'NR > 1 && $5 == 1 && $6 == 0 { n++ } END { exit n < 50 }' out

# Maps with geo tags: the second one begins 7 and 5 pixels further on, so its pixels are sought there.
cp "$DATA/cells.tif" .
picture a.tif cells.tif crop=100,40,90,70 geo
picture t.tif cells.tif crop=120,55,3,3
run 0 correlate $cpu a.tif t.tif -o map1.tif --quiet
run 0 correlate $cpu --roi 7,5,83,65 a.tif t.tif -o map2.tif --quiet
printf '40 35\n' >point.txt
run 0 track $cpu --chip 9 --search 2 --fit whole --points point.txt --format csv map1.tif map2.tif
holds 'the geo tags place the search' [ "$(column 6,7 2)" = '-7,-5' ]
holds 'nothing moves on the ground' awk -F, 'NR > 1 && ($20 > 1e-6 || $20 < -1e-6 || $21 > 1e-6 || $21 < -1e-6) { exit 1 }' out
holds 'map_x and map_y' [ "$(column 18,19 2)" = '500019.25,5399991.125' ]
run 0 track $cpu --chip 9 --grid 10x20 --search 2 --bands 'geo-{band}.tif' map1.tif map2.tif
"$HELPERS/print_tags" geo-map_dx.tif >out
golden <<'END'
33550 5 5 0
33922 0.25 0.27500000000000002 0 500000 5400000 0
34735 1 1 0 2 1024 0 1 1 3072 0 1 32632
34736 298.25
34737 UTM zone 32N|
42113 nan
END
cp flow-1.tif plain.tif
run 0 track $cpu --chip 9 --grid 30 --search 2 --format csv map1.tif plain.tif
holds 'no ground without tags in both' sh -c '! grep -q map_dx out'

# What is refused.
wrong() { # TEXT ARGUMENTS...: wrong usage
    text=$1
    shift
    run 2 track $cpu "$@"
    says "$text"
}
wrong '1 files given; give IMAGE1 and IMAGE2' flow-1.tif
wrong '3 files given' $flow board.tif
wrong '--chip 0: must be a size such as 32x32' --chip 0 $flow
wrong '--chip 3x: must be' --chip 3x $flow
wrong '--search 5000: must be' --search 5000 $flow
wrong '--chip 64,,32: must be' --chip 64,,32 $flow
wrong '--search: has 3 numbers, but --chip has 2' --chip 64,32 --search 9,8,7 $flow
wrong '--deform 65: must be a whole number 0 .. 64' --deform 65 $flow
wrong '--grid 0: must be' --grid 0 $flow
wrong '--shift 3: must be DX,DY' --shift 3 $flow
wrong '--fit best: must be whole, quadratic, gaussian or oversampled' --fit best $flow
wrong '--oversample 3: must be' --oversample 3 $flow
wrong '--method sqdiff: must be' --method sqdiff $flow
wrong '--arrows 0: must be' --arrows 0 $flow
wrong '--arrows: is only for --vectors' --arrows 2 $flow
wrong '--outliers 0: must be' --outliers 0 $flow
wrong '--replace: is only for --outliers' --replace $flow
wrong '--grid: is not for --points' --grid 8 --points points.txt $flow
wrong '--bands: is for grids' --bands x.npy --points points.txt $flow
wrong 'write {band} into it' --bands x.tif $flow
wrong '-o x.tif: its ending says no format' -o x.tif $flow
wrong 'would overwrite an input' -o flow-1.tif --format csv $flow
wrong 'would overwrite an input' --vectors flow-1.tif $flow
wrong '--format geojson: must be table, csv, json or jsonl' --format geojson $flow
refused() { # TEXT ARGUMENTS...: the work fails
    text=$1
    shift
    run 1 track $cpu "$@"
    says "$text"
}
printf '1 2\n3\n' >bad.txt
refused 'bad.txt: line 2 is not a point' --points bad.txt $flow
: >empty.txt
refused 'empty.txt: has no points' --points empty.txt $flow
refused 'none.txt: cannot open' --points none.txt $flow
refused 'flow-1.tif' --chip 400 $flow
refused 'a coarse pass has chips of 400 x 400 pixels' --chip 400,32 $flow
refused 'none.tif' none.tif flow-2.tif
refused 'the mask has 480 x 360 pixels' --mask1 board.tif $flow
refused 'all pairs must have the same extents' $flow board.tif board.tif
refused 'leave out --channels sum' --channels sum buttons.tif flow-1.tif
finish
