# SPDX-License-Identifier: BSD-2-Clause
# Options that no other test of a successful run covers: the same result with them as without, or the result that they ask for.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'

# --threads, --max-memory and --strict change no result.
run 0 find $cpu --top 4 --format csv board.tif board-fiducial.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score
board.tif,0,board-fiducial.tif,422,286,29,29,436,300,0.996624589
board.tif,0,board-fiducial.tif,427,22,29,29,441,36,0.996370316
board.tif,0,board-fiducial.tif,24,282,29,29,38,296,0.993770361
board.tif,0,board-fiducial.tif,26,24,29,29,40,38,0.993500769
END
cp out find.csv
run 0 find $cpu --top 4 --format csv --strict --max-memory 1G --threads 1 board.tif board-fiducial.tif
holds 'find: the same' cmp find.csv out
run 0 correlate $cpu --format csv -o map.tif cells.tif cells-template.tif
cp out want
cp map.tif want.tif
run 0 correlate $cpu --format csv --strict --max-memory 1G --threads 1 -o map.tif cells.tif cells-template.tif
holds 'correlate: the same report' cmp want out
holds 'correlate: the same map' cmp want.tif map.tif
mkdir folder maps
cp cells.tif stars.tif folder
run 0 correlate $cpu --recursive -o 'maps/{name}.tif' -t cells-template.tif folder
holds 'correlate --recursive: a map per picture' [ "$(ls maps | tr '\n' ' ')" = 'cells.tif stars.tif ' ]
run 0 convolve $cpu --gaussian 1 -o want.tif stars.tif
run 0 convolve $cpu --gaussian 1 --strict --max-memory 1G --threads 1 -o map.tif stars.tif
holds 'convolve: the same' cmp want.tif map.tif
# --correlate: a filter that is not turned is the turned filter, turned: their maps differ in the description only.
printf '1 2 0\n0 5 0\n0 0 3\n' >filter
printf '3 0 0\n0 5 0\n0 2 1\n' >turned
run 0 convolve $cpu --filter filter --format csv -o map.tif stars.tif
cp out want
run 0 convolve $cpu --filter turned --correlate --format csv -o map.tif stars.tif
holds 'convolve --correlate' cmp want out
run 0 convolve $cpu --filter filter --correlate --format csv -o map.tif stars.tif
holds 'convolve --correlate changes the result of a filter that is not symmetric' sh -c '! cmp -s want out'
# --raw: pixels without a header.
printf '\001\002\003\004\005\006\007\010\011\012\013\014\015\016\017\020' >frame.raw
{
    printf 'P5 4 4 255\n'
    cat frame.raw
} >frame.pgm
run 0 find $cpu --raw 4x4:u8 --format csv --method sqdiff --top 1 frame.raw frame.pgm
prints ',0,0,4,4,1.5,1.5,0'
run 0 correlate $cpu --raw 4x4:u8 --method ccorr --format csv -o map.tif frame.raw frame.pgm
prints 'map.tif,1,1,1496,1496,'
run 0 convolve $cpu --raw 4x4:u8 --gradient x --format csv -o map.tif frame.raw
prints 'map.tif,4,4,4,8,'
# Pictures.
run 0 find $cpu --heatmap plain.tif board.tif board-fiducial.tif
run 0 find $cpu --heatmap mixed.tif --blend 0.5 board.tif board-fiducial.tif
holds '--blend changes the heat map' sh -c '! cmp -s plain.tif mixed.tif'
run 0 find $cpu --heatmap range.tif --heat-range -1,1 board.tif board-fiducial.tif
holds '--heat-range changes the heat map' sh -c '! cmp -s plain.tif range.tif'
run 0 find $cpu --report large.html board.tif board-fiducial.tif
run 0 find $cpu --report small.html --report-side 100 board.tif board-fiducial.tif
holds '--report-side makes a smaller report' [ "$(wc -c <small.html)" -lt "$(wc -c <large.html)" ]
# info computes nothing, so these need only be taken.
run 0 info $cpu --threads 2 --quiet
prints 'feasible kernels, best first:'
for command in find correlate convolve info; do
    run 0 $command --help
    prints "Usage: exactncc $command [options]"
    run 0 $command --version
    prints 'exactncc '
done
finish
