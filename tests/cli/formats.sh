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
run 1 find --raw 480x360:u8 --page all cut.raw "$templ"
says 'cut.raw: page 1: the file ends in the middle of it: it has 127200 bytes of 172800'
cat cut.raw | "$EXACTNCC" find --raw 480x360:u8 --page all - "$templ" >out 2>err && fail 'a frame that is cut short was read'
says 'standard input: page 1: row 265 cannot be read: the file is cut short'

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
