# SPDX-License-Identifier: BSD-2-Clause
# Pictures of every format as files and through pipes, and raw frames: the same matches as from the TIFF.
. "${0%/*}/lib.sh"

image=$DATA/board.tif templ=$DATA/board-fiducial.tif
"$HELPERS/dump_picture" "$image" 0 luma board.npy mask.npy || fail 'dump_picture'
tail -c +129 board.npy >board.raw # 480 x 360 bytes
{ printf 'P5\n# a comment\n480 360\n255\n'; cat board.raw; } >board.pgm
{ cat board.pgm; cat board.pgm; cat board.pgm; } >pages.pgm
{ cat board.raw; cat board.raw; cat board.raw; } >frames.raw

# matches NAME: the rows of the last run, without the names, are those of the TIFF
run 0 find --format csv --top 3 "$image" "$templ"
sed 1d out | cut -d, -f2,4- >want
matches() {
    checks=$((checks + 1))
    sed 1d out | cut -d, -f2,4- | cmp -s - want || { fail "$1: other matches than in the TIFF"; cat out; }
}
for file in board.npy board.pgm "$image"; do
    run 0 find --format csv --top 3 "$file" "$templ"
    matches "$file"
    run 0 find --format csv --top 3 - "$templ" <"$file"
    matches "$file as standard input"
    cat "$file" | "$EXACTNCC" find --format csv --top 3 - "$templ" >out 2>err
    matches "$file through a pipe"
    mkfifo fifo
    cat "$file" >fifo &
    run 0 find --format csv --top 3 fifo "$templ"
    matches "$file through a named pipe"
    rm fifo
    run 0 find --format csv --top 3 "$image" - <"$templ"
    matches 'the template as standard input'
done
run 0 find --format csv --top 3 --raw 480x360:u8 board.raw "$templ"
matches 'raw'
run 0 find --format csv --top 3 --raw 480x360:u8be board.raw "$templ"
matches 'raw, big-endian'

# Pages of a pipe, as they arrive.
for what in 'frames.raw --raw 480x360:u8' pages.pgm; do
    file=${what%% *} options=${what#"$file"}
    # shellcheck disable=SC2086 # options are words
    cat "$file" | "$EXACTNCC" find $options --format csv --top 1 --page all - "$templ" >out 2>err
    cut -d, -f2,4,5 out >got
    printf 'page,x,y\n0,422,286\n1,422,286\n2,422,286\n' >golden
    holds "the pages of $what through a pipe" cmp got golden
    # shellcheck disable=SC2086
    cat "$file" | "$EXACTNCC" find $options --format csv --top 3 --page 2 - "$templ" >out 2>err
    sed -i 's/,2,/,0,/' out
    matches "page 2 of $what through a pipe"
    # shellcheck disable=SC2086
    run 1 find $options --page 3 - "$templ" <"$file"
    says 'standard input: there is no page 3: the file has 3, counted from 0'
done
head -c 300000 frames.raw >cut.raw
"$EXACTNCC" find --raw 480x360:u8 --page all cut.raw "$templ" >out 2>err && fail 'a frame that is cut short was taken'
says 'cut.raw: page 1: the file ends in the middle of it: it has 127200 bytes of 172800'
cat cut.raw | "$EXACTNCC" find --raw 480x360:u8 --page all - "$templ" >out 2>err && fail 'a frame that is cut short was read'
says 'standard input: page 1: row 265 cannot be read: the file is cut short'

# Outputs: the extension decides.
set -- correlate "$image" "$templ"
for name in map.tif map.TIFF map.npy map.png; do
    run 0 "$@" -q -o $name
done
holds 'a TIFF by its extension' cmp map.tif map.TIFF
run 0 "$@" -o -
holds 'a TIFF as standard output' cmp out map.tif
for form in npy png; do
    "$EXACTNCC" "$@" -o -.$form | cat >map.out
    holds "$form through a pipe" cmp map.out map.$form
done
"$HELPERS/dump_picture" map.tif 0 luma again.npy mask.npy
holds 'the values of the .npy are those of the TIFF' cmp again.npy map.npy
for name in map.xyz map map. tif .tifx; do
    run 2 "$@" -o $name
    says "$name: the extension of an output decides its format; end the name in .tif, .png or .npy"
    [ ! -e $name ] || fail "$name was written"
done
run 2 find --overlay found.gif "$image" "$templ"
says 'found.gif: the extension of an output decides its format'
run 0 find -q --overlay found.npy "$image" "$templ"
run 0 find -q --overlay found.tif "$image" "$templ"
"$HELPERS/dump_picture" found.tif 0 sum again.npy mask.npy
holds 'an overlay as .npy' cmp again.npy found.npy
"$EXACTNCC" "$@" -o - >/dev/full 2>err && fail 'a full standard output'
says 'standard output: cannot write: No space left on device'

# Outputs that must not replace an input, or that cannot have a temporary name of their own.
printf '1 2\n' >filter.tif
run 2 convolve --filter filter.tif "$image" -o filter.tif
says 'filter.tif: would overwrite an input'
run 1 "$@" -q -o both.tif --coverage ./both.tif
says 'both.tif: is also the name of another output'
ln -s nowhere.tif dangling.tif
run 1 convolve -q --gaussian 1 "$image" -o dangling.tif
says 'dangling.tif: cannot write: it is a symbolic link that leads nowhere'
run 0 convolve -q --gaussian 1 "$image" -o "$(printf 'z%.0s' $(seq 251)).tif"

# Filters: any end of line, a byte-order mark, a pipe; not without an end.
printf '\357\273\2771\r2\r\n3\n' >filter.txt
run 0 convolve --format json --filter filter.txt "$image" -o smooth.tif
prints '"filter_width": 1, "filter_height": 3'
printf '1 2' >filter.txt
run 0 convolve -q --filter - "$image" -o smooth.tif <filter.txt
run 1 convolve --filter /dev/zero "$image" -o smooth.tif
says '/dev/zero: is not a regular file or a pipe'
head -c 3000000 /dev/zero | tr '\0' ' ' >blank.txt
run 1 convolve --filter blank.txt "$image" -o smooth.tif
says 'blank.txt: has more than 1048576 bytes'
run 0 convolve -q --gaussian 1e-300 "$image" -o same.tif

# What cannot work.
for value in 480x360 480x360:u7 480x360:u8x0 480x360:u8x65 x360:u8 480x360:u8xbe 480,360:u8; do
    run 2 find --raw $value board.raw "$templ"
    says "--raw $value: must be a size and a pixel type"
done
run 2 find - - <"$image"
says '-: is given 2 times, but standard input can be read only once'
run 1 find - "$templ" </dev/null
says 'standard input: cannot be read as a picture: it is empty'
cat "$image" | "$EXACTNCC" find --max-memory 100K - "$templ" >out 2>err && fail 'a pipe beyond the limit was read'
says 'standard input: the pipe delivers more than the limit of 102400 bytes; raise --max-memory'
printf 'GIF89a and so on' >a.png
run 1 find a.png "$templ"
says 'a.png: is a GIF file, which is not read; give TIFF, '
finish
