# SPDX-License-Identifier: BSD-2-Clause
# Wrong usage: status 2, and one line that names the option and what is allowed.
. "${0%/*}/lib.sh"
board=$DATA/board.tif
templ=$DATA/board-fiducial.tif

wrong() { # TEXT ARGUMENTS...
    text=$1
    shift
    run 2 "$@"
    says "$text"
}

"$EXACTNCC" >out 2>err
[ $? -eq 2 ] && grep -q 'exactncc find' err || fail 'no command: not status 2 with the overview on stderr'
wrong 'no such command' locate
wrong 'no such command' --nonsense
for command in find correlate convolve track info; do
    run 0 $command --help
    prints "exactncc $command [options]"
    prints '--device NAME'
    wrong "--nonsense: no such option" $command --nonsense
    wrong "--device: needs a value" $command --device
    wrong "--device gpu: must be auto, cpu, cuda, cuda:N, cuda:N,N,... with each device once, or cuda:all" $command --device gpu
    for device in cuda:x cuda: cuda:0, cuda:,0 cuda:0,0 cuda:1,2,1 cuda:0,1024 cuda:all,0 cuda:-1; do
        wrong "--device $device: must be auto" $command --device $device
    done
    wrong "--threads -1: must be a whole number 0 .. 1024" $command --threads -1
    wrong "--threads 1025: must be a whole number 0 .. 1024" $command --threads 1025
    wrong "--kernel : must be a name" $command --kernel ''
done
for devices in 1022,1023 1023; do # that no machine has
    run 1 find --device cuda:$devices "$DATA/board.tif" "$DATA/board-fiducial.tif"
    says "exactncc find: --device cuda:$devices: "
done
run 0 --help
prints '  0  done (also if nothing was found)'
prints '  2  wrong usage'

wrong '0 files given; usage: exactncc find [options] IMAGE TEMPLATE | -t TEMPLATE IMAGE...' find
wrong '1 file given; give IMAGE and TEMPLATE, or -t TEMPLATE and images' find "$board"
wrong '3 files given, and no -t says which are templates' find "$board" "$templ" "$templ"
wrong '3 files given' correlate "$board" "$templ" "$templ" -o x.tif
wrong '-o x.tif: is one name for the outputs of several images; write {name} or {number} into it' convolve "$board" "$templ" -o x.tif --gaussian 1
wrong 'measuring is a program of its own: exactncc-bench' bench
wrong '1 file given' info x

for command in find correlate; do
    wrong '--method ncc: must be ccoeff_normed, ccoeff, ccorr, ccorr_normed, sqdiff, sqdiff_normed or coverage' $command --method ncc "$board" "$templ"
    wrong '--mode all: must be valid, same or full' $command --mode all "$board" "$templ"
    wrong '--border constant: must be clamp, zero, mirror, wrap or overlap' $command --border constant "$board" "$templ"
    for value in '' x 1x none5 0x1 1,5 ' 1' infinite; do
        wrong "--no-data $value: must be a number, nan or none" $command --no-data "$value" "$board" "$templ"
    done
    for value in '' x -0.1 1.1 nan inf 50%; do
        wrong "--min-valid $value: must be a number 0 .. 1" $command --min-valid "$value" "$board" "$templ"
    done
    wrong '--channels rgb: must be luma or sum' $command --channels rgb "$board" "$templ"
    wrong '--mask : must be a file name, or - for none' $command --mask '' "$board" "$templ"
    wrong '--image-mask : must be a file name' $command --image-mask '' "$board" "$templ"
    wrong '--flat inf: must be zero or nan' $command --flat inf "$board" "$templ"
done
for value in 0 -1 1.5 x '' 1000000001 99999999999999999999 ' 5' 5x; do
    wrong "--top $value: must be a whole number 1 .. 1000000000" find --top "$value" "$board" "$templ"
done
for value in x '' nan 1e99 0x1p3 ' 1' 1,5; do
    wrong "--min-score $value: must be a number" find --min-score "$value" "$board" "$templ"
done
for value in x -1 inf nan; do
    wrong "--max-score $value: must be a number that is not negative" find --method sqdiff --max-score "$value" "$board" "$templ"
done
for value in 0 -3 x 1073741825; do
    wrong "--min-distance $value: must be a whole number 1 .. 1073741824" find --min-distance "$value" "$board" "$templ"
done
for value in -1 x 4294967295 all5 3-2 1- -1-2 1-x 1-4294967295; do
    wrong "--page $value: must be a page number" find --page "$value" "$board" "$templ"
done
wrong '-o x.npy: is one name for the outputs of several pages; write {page} into it' correlate --page all "$board" "$templ" -o x.npy
wrong '--format xml: must be table, csv, json, jsonl or geojson' find --format xml "$board" "$templ"
wrong '--format csv: must be table or json' info --format csv
for value in 0 -1 x 1P 99999999999999999999 20000000T 1GB; do
    wrong "--max-memory $value: must be a number of bytes" find --max-memory "$value" "$board" "$templ"
done
wrong '--min-score: low scores are good with --method sqdiff' find --method sqdiff --min-score 0 "$board" "$templ"
wrong '--max-score: high scores are good with --method ccoeff_normed' find --max-score 1 "$board" "$templ"
wrong '--overlay x.tif: is one name for the outputs of several pages; write {page} into it' find --page all --overlay x.tif "$board" "$templ"
wrong '--overlay : must be a file name' find --overlay '' "$board" "$templ"
run 2 find --device cpu --kernel nonsense "$board" "$templ"
says "exactncc find: --kernel nonsense: there is no kernel named 'nonsense'"
run 2 find --device cpu --kernel nonsense -t "$templ" -t "$templ" "$board"
says 'exactncc find: --kernel nonsense: '
run 2 find --device cpu --kernel shared "$board" "$templ"
says 'exactncc find: --kernel shared: kernel shared needs the CUDA engine'
run 2 find --device cpu --kernel shared --angles 0:90 "$board" "$templ"
says 'exactncc find: --kernel shared: kernel shared needs the CUDA engine'
run 2 convolve --device cpu --kernel direct-avx9,shared "$board" --gaussian 1 -o x.tif
says "exactncc convolve: --kernel direct-avx9,shared: "
run 2 convolve --device cpu --kernel shared "$board" --gaussian 1 -o x.tif
says 'exactncc convolve: --kernel shared: kernel shared does not serve convolution'
run 2 correlate --device cpu --kernel nonsense "$board" "$templ" -o x.tif
run 2 convolve --device cpu --kernel nonsense "$board" --gaussian 1 -o x.tif
run 2 info --device cpu --kernel nonsense

wrong '-o: is missing' correlate "$board" "$templ"
wrong '-o: is missing' convolve "$board" --gaussian 1
wrong '-o: needs a value' correlate "$board" "$templ" -o
wrong 'none of --gaussian, --gradient and --filter given' convolve "$board" -o x.tif
wrong 'several of --gaussian, --gradient and --filter given' convolve "$board" -o x.tif --gaussian 1 --gradient x
for value in 0 -1 x nan inf 15.751 1e9; do
    wrong "--gaussian $value: must be a number above 0 and up to 15.75" convolve "$board" -o x.tif --gaussian "$value"
done
wrong '--gradient z: must be x or y' convolve "$board" -o x.tif --gradient z
wrong '--size 4: must be 3 or 5' convolve "$board" -o x.tif --gradient x --size 4
wrong '--size: is only for --gradient' convolve "$board" -o x.tif --gaussian 1 --size 3
wrong '--correlate: is only for --filter' convolve "$board" -o x.tif --gaussian 1 --correlate
for border in mirror wrap overlap; do
    wrong "--border $border: must be clamp or zero" convolve "$board" -o x.tif --gaussian 1 --border $border
done
wrong '--border inside: must be clamp or zero' convolve "$board" -o x.tif --gaussian 1 --border inside
for value in 0x5 5 5x x5 5x5x5 -1x5 5x1073741825 5x5,; do
    wrong "--size $value: must be" info --size "$value"
    wrong "--template $value: must be" info --template "$value"
done
wrong '--size 5x5,6x6: must be a size' info --size 5x5,6x6
wrong '--pixel s32: must be u8, u16, f32, s8, s16, u32 or f64' info --pixel s32
wrong '--border constant: must be clamp, zero, mirror, wrap or overlap' info --border constant
for value in 0 65 x -1 luma; do
    wrong "--channels $value: must be a whole number 1 .. 64" info --channels "$value"
done
wrong '--min-valid 2: must be a number 0 .. 1' info --min-valid 2
wrong '--mask: 2 given for 1 template; give one per template, in the same order (-: no mask)' find --mask - --mask - "$board" "$templ"
wrong '--mask: 2 given for 1 template;' correlate --mask - --mask - "$board" "$templ" -o x.tif
wrong '--mask: 1 given for 2 templates' find --mask - "$board" -t "$templ" -t "$templ"
wrong '--coverage: no such option' find --coverage x.tif "$board" "$templ"
wrong '--coverage : must be a file name' correlate --coverage '' -o x.tif "$board" "$templ"
wrong '--mask: no such option' convolve --mask x.tif "$board" -o x.tif --gaussian 1
wrong '--no-data: no such option' convolve --no-data 1 "$board" -o x.tif --gaussian 1
run 2 info --device cpu --size 8x8 --template 9x9
[ ! -e x.tif ] || fail 'wrong usage wrote a file'

# The work fails: status 1.
run 1 find --device cpu missing.tif "$templ"
says 'missing.tif: cannot open: No such file or directory'
run 1 find --device cpu "$board" missing.tif
says 'missing.tif: cannot open'
run 1 find --device cpu . "$templ"
says '.: is a folder; give --recursive to take all pictures in it'
run 1 find --device cpu "$DATA/truth.csv" "$templ"
says 'truth.csv: cannot be read as a picture'
run 1 find --device cpu --page 1 "$board" "$templ"
says 'there is no page 1: the file has 1, counted from 0'
run 1 find --device cpu "$templ" "$board"
says '; are they swapped? Give the larger picture as the image, or --mode same'
says "exceeds $templ (29 x 29)"
run 1 find --device cpu --max-memory 10K "$board" "$templ"
says 'raise --max-memory'
printf 'x' >'two
lines.tif'
run 1 find --device cpu 'two
lines.tif' "$templ"
says 'two?lines.tif: cannot be read as a picture'
finish
