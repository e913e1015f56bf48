# SPDX-License-Identifier: BSD-2-Clause
# Work in parts: --shard and join give the bytes of one process, for a picture and for a manifest; what is done is not done again.
. "${0%/*}/lib.sh"
cpu='--device cpu'
"$HELPERS/make_huge" tiles.tif 1000 700 64 0
"$HELPERS/make_huge" same.tif 900 1100 64 3
"$HELPERS/make_pages" --crop 30,40,21,33 templ.tif "$DATA/board.tif"
"$HELPERS/make_pages" --crop 3,4,50,11 other.tif "$DATA/cells.tif"
"$HELPERS/make_pages" pages.tif "$DATA/cells.tif" "$DATA/stars.tif" "$DATA/board.tif"

# in_shards OUTPUT ARGUMENTS...: three shards, in any order, and their join.
in_shards() {
    one_in 2 || return 0
    out=$1
    shift
    run 0 find $cpu -o "$out" "$@"
    mv "$out" "want.${out##*.}"
    cp err said
    for shard in 3 1 2; do
        run 0 find $cpu -o "$out" --shard $shard/3 "$@"
        [ ! -s out ] && [ ! -e "$out" ] || fail "find --shard $shard/3 $* has a result"
    done
    run 0 join "$out".*-of-3
    holds "join of find $*" cmp "want.${out##*.}" "$out"
    holds "join of find $*: the warnings of one process" cmp said err
    rm "$out".*-of-3 "$out"
}
count=0
for options in '' '--min-distance 1 --top 33' '--mode full --border mirror' '--mode same --border overlap' '--min-distance 1000' '--threads 1' \
    '--method sqdiff --top 400' '--roi 100,101,800,550 --top 50' '--count --min-distance 4' '--merge distance:9' '--max-memory 400K'; do
    count=$((count + 1))
    [ -n "$short" ] && [ $((count % 4)) -ne 1 ] || in_shards found.csv $options -t tiles.tif@300,400,25,33 -t tiles.tif@500,20,40,9 tiles.tif
    [ -n "$short" ] && [ $((count % 4)) -ne 3 ] || in_shards found.json $options -t templ.tif same.tif
done
in_shards found.jsonl --page all -t templ.tif -t other.tif pages.tif "$DATA/board.tif"
in_shards found.txt --no-data 77 -t templ.tif same.tif
run 0 find $cpu -o found.csv same.tif templ.tif
mv found.csv want
for shard in 1 2; do run 0 find $cpu -o found.csv --shard $shard/2 same.tif templ.tif; done
run 0 join -o other.csv --quiet found.csv.1-of-2 found.csv.2-of-2
holds 'join -o' cmp want other.csv
run 0 join -o - found.csv.1-of-2 found.csv.2-of-2
holds 'join to standard output' cmp want out

# Nothing is done twice, and a record that is not complete does not count.
cp found.csv.1-of-2 part
run 0 find $cpu -o found.csv --shard 1/2 same.tif templ.tif
holds 'a shard that is done is left alone' cmp part found.csv.1-of-2
records=$(grep -c '^item ' part)
[ "$records" -ge 3 ] || fail "only $records records"
size=$(wc -c <part)
for cut in 1 50 $((size / 2)) $((size - 100)); do # bytes that are lost
    head -c $((size - cut)) part >found.csv.1-of-2
    run 0 find $cpu -o found.csv --shard 1/2 same.tif templ.tif
    holds "$cut bytes are made again" cmp part found.csv.1-of-2
done
head -c $((size - 50)) part >found.csv.1-of-2
run 1 join found.csv.1-of-2 found.csv.2-of-2
says 'is in no part; run the commands with --shard to their end, and then join all parts'
run 1 join found.csv.2-of-2
says 'item 1 of '
# A text of the right length that is not that of a slice: a score, and a count that the text cannot have.
for change in '0,/^[0-9]* [0-9]* 0x/s/ 0x/ #x/' '0,/^template 0 /s/^\(template 0 [^ ]* [^ ]* [^ ]* \)[0-9]/\19/'; do
    sed "$change" part >found.csv.1-of-2
    [ "$(wc -c <found.csv.1-of-2)" -eq "$size" ] && ! cmp -s part found.csv.1-of-2 || fail "$change changes something else"
    run 1 join found.csv.1-of-2 found.csv.2-of-2
    says 'is damaged; remove it and run its command again'
done
cp part found.csv.1-of-2
run 1 find $cpu --top 3 -o found.csv --shard 1/2 same.tif templ.tif
says 'found.csv.1-of-2: has the results of another command or of other input files; remove it to begin again'
run 0 find $cpu --top 3 -o top.csv --shard 1/2 same.tif templ.tif
run 1 join found.csv.1-of-2 top.csv.1-of-2
says 'top.csv.1-of-2: is a part of another command than found.csv.1-of-2'
run 1 join same.tif
says 'same.tif: is not a part that a command with --shard has left; give such files'
for words in 'find --help' 'find --version' 'find same.tif templ.tif' 'correlate same.tif templ.tif'; do # no work, or no name for its result
    printf 'exactncc part 1 1.0.0 0123456789abcdef %s\nitem 0 0 0 0\n\n' "$words" >odd
    for output in '' '-o odd.csv'; do
        run 1 join $output odd
        says 'odd: is not a part that a command with --shard has left; give such files'
    done
done
: >empty
run 1 join empty
says 'empty: is empty'
run 1 join missing
says 'missing: cannot read'
touch -d '2001-01-01' templ.tif
run 1 join found.csv.1-of-2 found.csv.2-of-2
says 'or an input file has changed since'
run 2 find $cpu --shard 1/2 same.tif templ.tif
says '-o: is missing; work that is shared needs the name of a file'
for shard in 0/2 3/2 1/0 x 1 1/2/3 /; do
    run 2 find $cpu --shard $shard -o found.csv same.tif templ.tif
    says "--shard $shard: must be I/N: two whole numbers, 1 <= I <= N <= 1000000"
done
run 2 find $cpu --shard 1/2 --overlay o.png -o o.csv same.tif templ.tif
says '--overlay: needs the whole image, but each of the processes that share this work reads parts of it'
run 2 correlate $cpu --shard 1/2 --mode same --border wrap -o map.tif same.tif templ.tif
says '--border wrap: needs the whole image'
holds 'refused work leaves no part' [ ! -e o.csv.1-of-2 -a ! -e map.tif.1-of-2 ]

# Maps: the shards write into one file.
map_in_shards() { # COMMAND ARGUMENTS...
    one_in 2 || return 0
    for ending in tif npy; do
        case "$ending $*" in npy*--tile*) continue ;; esac
        case "$shortest $ending $*" in ?*npy*correlate*) continue ;; esac
        run 0 "$@" $cpu --format json -o map.$ending
        mv map.$ending want
        cp out said
        for shard in 2 3 1; do
            run 0 "$@" $cpu --format json --shard $shard/3 -o map.$ending
            [ ! -s out ] && [ ! -e map.$ending ] || fail "$* --shard $shard/3 has a result"
        done
        run 0 join map.$ending.1-of-3 map.$ending.2-of-3 map.$ending.3-of-3
        holds "join of $*: the same bytes" cmp want map.$ending
        holds "join of $*: the same report" cmp said out
        rm map.$ending map.$ending.*-of-3
        holds "$*: nothing else is left" [ -z "$(ls map.$ending* 2>/dev/null)" ]
    done
}
for options in '' '--mode full --border mirror' '--roi 33,65,700,600' '--mode same --tile 256' '--max-memory 500K'; do
    map_in_shards correlate $options -t tiles.tif@300,400,25,33 same.tif
done
map_in_shards correlate --no-data 77 -t templ.tif same.tif
map_in_shards correlate --no-data 300 -t templ.tif same.tif
map_in_shards convolve --gaussian 2 tiles.tif
map_in_shards convolve --gradient x --border zero --tile 64 tiles.tif
run 0 correlate $cpu --coverage 'cover-{template}.tif' -o 'map-{template}.tif' --no-data 77 -t templ.tif -t other.tif same.tif
mkdir whole
mv map-*.tif cover-*.tif whole
for shard in 1 2; do run 0 correlate $cpu --shard $shard/2 --coverage 'cover-{template}.tif' -o 'map-{template}.tif' --no-data 77 -t templ.tif -t other.tif same.tif; done
run 0 join 'map-{template}.tif.1-of-2' 'map-{template}.tif.2-of-2'
for map in whole/*; do holds "several maps in parts: $map" cmp "$map" "${map#whole/}"; done
for shard in 1 2; do run 0 convolve $cpu --gaussian 1 --shard $shard/2 -o map.tif tiles.tif; done
cp map.tif.partial copy
cp map.tif.1-of-2 old-part
: >map.tif.partial # another file, whatever the system calls it
run 1 join map.tif.1-of-2 map.tif.2-of-2
says 'map.tif.partial: is not the file that the parts were written to; remove it and all parts, and begin again'
for shard in 1 2; do run 0 convolve $cpu --gaussian 1 --shard $shard/2 -o map.tif tiles.tif; done # the new file needs all rows
holds 'rows of another file do not count' [ "$(wc -c <map.tif.1-of-2)" -gt "$(wc -c <old-part)" ]
run 0 join map.tif.1-of-2 map.tif.2-of-2
run 0 convolve $cpu --gaussian 1 -o want.tif tiles.tif
holds 'the new file is right' cmp want.tif map.tif
mv copy map.tif.partial
for shard in 1 2; do cp old-part map.tif.$shard-of-2; run 0 convolve $cpu --gaussian 1 --shard $shard/2 -o map.tif tiles.tif; done
holds 'rows in a copy of the file count' cmp map.tif.1-of-2 old-part
run 0 join map.tif.1-of-2 map.tif.2-of-2
holds 'the copy is right' cmp want.tif map.tif
# What a job leaves that ends between the name of its map and the removal of its parts.
cp old-part map.tif.1-of-2
rm map.tif
for shard in 1 2; do run 0 convolve $cpu --gaussian 1 --shard $shard/2 -o map.tif tiles.tif; done
run 0 join map.tif.1-of-2 map.tif.2-of-2
holds 'old parts say nothing about a new file' cmp want.tif map.tif
# A map that has its header has all rows.
for shard in 1 2; do run 0 convolve $cpu --gaussian 1 --shard $shard/2 -o map.tif tiles.tif; done
cp map.tif.1-of-2 old-part
cp want.tif map.tif.partial
run 0 convolve $cpu --gaussian 1 --shard 1/2 -o map.tif tiles.tif
holds 'rows of a file with a header count' cmp map.tif.1-of-2 old-part
run 0 join map.tif.1-of-2 map.tif.2-of-2
holds 'the file with a header is right' cmp want.tif map.tif
# Neither a job with a journal nor shards write what the other writes.
run 0 convolve $cpu --gaussian 1 --shard 1/2 -o map.tif tiles.tif
flock -x map.tif.partial sh -c ': >held; while [ ! -e enough ]; do sleep 0.1; done' &
while [ ! -e held ]; do sleep 0.1; done
run 1 convolve $cpu --gaussian 1 --shard 1/2 -o map.tif tiles.tif
says 'map.tif.partial: another process is writing it; wait for its end'
: >enough
wait
flock -s map.tif.partial "$EXACTNCC" convolve $cpu --gaussian 1 --resume -o map.tif tiles.tif 2>err
says 'map.tif.partial: another process is writing it; wait for its end'
run 2 join -o other.tif map.tif.1-of-2 map.tif.2-of-2
says '-o: maps are where the parts were written'
run 2 convolve $cpu --gaussian 1 --shard 1/2 -o map.png tiles.tif
says 'work that is shared needs a file that is written row by row'
run 2 convolve $cpu --gaussian 1 --shard 1/2 --resume -o map.tif tiles.tif
says '--resume: parts of work that is shared are journals; leave it out'
rm map.tif*

# A manifest: the results of so many commands, in order.
touch templ.tif
cat >items.csv <<'END'
options,note,image,templates
--top 3,"a ""note"", of two
lines",tiles.tif,"tiles.tif@300,400,25,33;templ.tif"

,,missing.tif,templ.tif
--top 2  --method sqdiff,,same.tif,templ.tif
--top 1,,same.tif,"templ.tif;other.tif"
END
run 0 find $cpu --quiet --format csv --top 3 -t tiles.tif@300,400,25,33 -t templ.tif tiles.tif
cp out want
run 0 find $cpu --quiet --format csv --top 2 --method sqdiff -t templ.tif same.tif
tail -n +2 out >>want
run 0 find $cpu --quiet --format csv --top 1 -t templ.tif -t other.tif same.tif
tail -n +2 out >>want
failing() { # ARGUMENTS...: one of the items fails
    "$EXACTNCC" "$@" >out 2>err
    [ $? -eq 1 ] || fail "the failing item is not reported: $*"
    says 'items.csv: line 3: missing.tif: cannot open: No such file or directory; check the name'
    says '1 of 4 items failed; the rest is done'
}

# An item whose options end within a word leaves the others alone.
cat >within.csv <<EOF
image,templates,options
$DATA/cells.tif,$DATA/cells-template.tif,-qZabc
$DATA/cells.tif,$DATA/cells-template.tif,--top 2
EOF
run 0 find $cpu --quiet --format csv --top 2 "$DATA/cells.tif" "$DATA/cells-template.tif"
cp out within-want
"$EXACTNCC" find $cpu --quiet --format csv --manifest within.csv -o within-all.csv >out 2>err
holds 'one of two items fails' [ $? -eq 1 ]
says 'within.csv: line 2: -Z: no such option'
says '1 of 2 items failed; the rest is done'
holds 'an item after one that ended within a word' cmp within-want within-all.csv

failing find $cpu --quiet --manifest items.csv -o all.csv
holds 'a manifest' cmp want all.csv
holds 'no journal is left' [ ! -e all.csv.journal ]
rm all.csv
for shard in 1 2 3; do run 0 find $cpu --quiet --manifest items.csv --shard $shard/3 -o all.csv; done
cp all.csv.2-of-3 part
run 0 find $cpu --quiet --manifest items.csv --shard 2/3 -o all.csv # what failed is tried again
holds 'a failed item is tried again' [ "$(grep -c '^item ' all.csv.2-of-3)" -eq $(($(grep -c '^item ' part) + 1)) ]
failing join all.csv.1-of-3 all.csv.2-of-3 all.csv.3-of-3
holds 'shards of a manifest' cmp want all.csv
run 0 find $cpu --quiet --format jsonl --top 3 -t tiles.tif@300,400,25,33 -t templ.tif tiles.tif
cp out want
sed -i '/missing/d; /sqdiff/d; /other/d' items.csv
run 0 find $cpu --quiet --manifest items.csv -o all.jsonl
holds 'a manifest in JSON lines' cmp want all.jsonl
printf 'image,templates,options\ntiles.tif,templ.tif,-o x.csv\ntiles.tif,templ.tif,--topp 3\ntiles.tif,templ.tif,--help\ntiles.tif,templ.tif,--top 1\n' >wrong.csv
"$EXACTNCC" find $cpu --quiet --manifest wrong.csv -o all.csv >out 2>err && fail 'wrong items'
says 'wrong.csv: line 2: options: -o, --format, --manifest and --shard are for the whole command'
says 'wrong.csv: line 3: --topp: no such option; did you mean --top?'
says 'wrong.csv: line 4: options: --help and --version are no search'
says '3 of 4 items failed; the rest is done'
holds 'the right item is there' [ "$(wc -l <all.csv)" -eq 2 ]
printf 'image,templates,options\ntiles.tif,templ.tif,--top 1\ntiles.tif,templ.tif,--top 1 --subpixel\n' >columns.csv
run 1 find $cpu --quiet --manifest columns.csv -o columns-out.csv
says 'columns.csv: line 3: its columns are not those of the first result'
holds 'nothing half-written' [ ! -e columns-out.csv ]
printf 'picture,templates\na,b\n' >bad.csv
run 1 find $cpu --manifest bad.csv -o all.csv
says 'its first line names no column image or no column templates; let it be image,templates,options'
printf 'image,templates\n"a,b\n' >bad.csv
run 1 find $cpu --manifest bad.csv -o all.csv
says 'bad.csv: row 2: a quote does not end'
run 2 find $cpu --manifest items.csv
says '-o: is missing; a manifest needs the name of a file'
run 2 find $cpu --manifest items.csv -o all.csv tiles.tif
says '--manifest: names the images and templates; give no others'
run 2 find $cpu --manifest items.csv --format json -o all.json
says '--manifest: its results are csv or jsonl'
finish
