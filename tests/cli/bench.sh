# SPDX-License-Identifier: BSD-2-Clause
# exactncc-bench: usage, every table, and that every result is checked.
. "${0%/*}/lib.sh"
EXACTNCC=$EXACTNCC_BENCH

# bench STATUS ARGUMENTS...: as run, without the notes of long runs.
bench() {
    status=$1
    shift
    run "$status" --quiet "$@"
}

# Usage.
wrong() { # TEXT ARGUMENTS...
    text=$1
    shift
    run 2 "$@"
    says "$text"
}
run 0 --help
prints 'exactncc-bench [options]'
for option in --version -V; do
    run 0 $option
    prints 'exactncc-bench '
done
wrong '--repet: no such option; did you mean --repeat?' --repet 3
wrong '--table kind: must be sizes, kinds, filters, templates, find, batch, mixed, devices or images, with commas between; did you mean kinds?' --table kind
wrong 'x: takes no files' x
wrong '--table devices: needs several devices, as --device cuda:all or cuda:0,1 names them' --device cpu --table devices
wrong '--nonsense: no such option' --nonsense
wrong '--device: needs a value: auto, cpu, cuda, cuda:N, cuda:N,N,... with each device once, or cuda:all; see exactncc-bench --help' --device
wrong '--device gpu: must be auto, cpu, cuda, cuda:N, cuda:N,N,... with each device once, or cuda:all' --device gpu
wrong '--threads -1: must be a whole number 0 .. 1024' --threads -1
wrong '--kernel : must be a name' --kernel ''
wrong '--format xml: must be table, csv, json or markdown' --format xml
wrong '--task fast: must be all, match or convolve' --task fast
wrong '--repeat 0: must be a whole number 1 .. 10000' --repeat 0
wrong '--batch 0: must be a whole number 1 .. 10000' --batch 0
wrong '--pixel s32: must be u8, u16, f32, s8, s16, u32 or f64' --pixel s32
wrong '--border constant: must be clamp, zero, mirror, wrap or overlap' --border constant
for value in 0 65 x -1 luma; do
    wrong "--channels $value: must be a whole number 1 .. 64" --channels "$value"
done
for value in 0x5 5 5x x5 5x5x5 -1x5 5x1073741825 5x5,; do
    wrong "--size $value: must be" --size "$value"
    wrong "--template $value: must be" --template "$value"
done
bench 2 --device cpu --kernel nonsense --size 16x16 --template 3x3
says 'nothing to time: no kernel with the name nonsense can serve these sizes'

bench 2 --device cpu --kernel direct,nonsense --size 16x16 --template 3x3
says 'no kernel with the name nonsense can serve these sizes, because none has it'
bench 2 --device cpu --kernel direct, --size 16x16 --template 3x3
says 'no kernel with the name  can serve these sizes, because none has it'
# Of a list of kernels, the first that can serve: none of a GPU, and not those behind it.
bench 0 --device cpu --kernel shared,tex-tex,reference,direct --size 33x20 --template 5x4 --task match --repeat 1 --format csv
[ "$(cut -d, -f2 out | tr '\n' ' ')" = 'kernel reference ' ] || { fail '--kernel: a list'; cat out; }
bench 0 --device cpu --kernel conv-tiled,direct,reference --size 33x20 --template 5x4 --repeat 1 --format csv
holds '--kernel: a family in a list' awk -F, 'NR > 1 && $2 !~ /^direct-/ { exit 1 } END { exit NR < 4 }' out
bench 2 --device cpu --kernel shared,tex-tex --size 33x20 --template 5x4
says 'nothing to time: no kernel with the name shared,tex-tex can serve these sizes'

# The table of every kernel.
bench 0 --device cpu --size 64x48,33x20 --template 5x4,9x9 --repeat 2 --format csv
[ "$(head -n 1 out)" = device,kernel,method,pixel,width,height,template_width,template_height,ms,gmac_s,tmac_s,gpixel_s,end_to_end_ms,floor_ms,floor_by,ratio,checked ] ||
    fail 'header'
holds 'every row is exact' awk -F, 'NR > 1 && ($17 != "exact" || $9 <= 0) { exit 1 } END { exit NR < 17 }' out
holds 'on the CPU the floor counts bytes, and the ratio refers to it' awk -F, 'NR > 1 && ($15 != "bytes" || $14 <= 0 || ($16 * $14 / $9 - 1)^2 > 1e-6 || ($10 / $11 / 1000 - 1)^2 > 1e-6) { exit 1 }' out
holds 'both tasks' grep -q ',convolve,' out
filters=$(awk -F, '$3 == "convolve" { print $2; exit }' out) # the fastest kernel for filters here
bench 0 --device cpu --size 64x48 --template 5x4 --task match --kernel reference --pixel f32 --mode same --method sqdiff
prints 'reference  sqdiff  f32 '
[ "$(wc -l <out)" -eq 2 ] || fail '--kernel leaves more than one row'
# Problems too large for a whole map by the reference kernel, all of just over 2e9 multiply-adds: three regions of the map are checked. They
# are side by side in a flat map and one above the other in a narrow one; in both they are small, so that the reference kernel is quick.
regions() { # SIZE PIXEL OPTIONS...
    size=$1 pixel=$2
    shift 2
    bench 0 --device cpu --size "$size" --pixel "$pixel" --template 64x64 --task match --kernel direct-portable --repeat 1 --format csv "$@"
    holds "regions, $pixel $*" awk -F, 'NR > 1 && $17 != "exact" { exit 1 } END { exit NR < 2 }' out
}
[ -n "$short" ] || regions 900x700 u8
[ -n "$short" ] || regions 31000x79 u16
[ -n "$short" ] || regions 31000x79 f32
[ -n "$short" ] || regions 79x6300 u8 --mode same
if [ -z "$short" ]; then
    bench 0 --device cpu --size 84x27000 --template 33x27 --task convolve --kernel "$filters" --repeat 1 --format csv
    holds 'regions, convolution' awk -F, 'NR > 1 && $17 != "exact" { exit 1 } END { exit NR < 2 }' out
fi
[ -n "$shortest" ] && size=900x76 || size=30000x76
bench 0 --device cpu --size $size --template 33x27 --task convolve --kernel "$filters" --repeat 1 --format json
prints '"checked": "exact"'
prints '"rows": ['
if command -v python3 >/dev/null; then
    holds 'JSON' python3 -c 'import json; d = json.load(open("out")); assert d["device"] == "cpu" and all(k in d["rows"][0] for k in
        ("kernel", "method", "width", "height", "template_width", "template_height", "ms", "gmac_s", "tmac_s", "gpixel_s", "end_to_end_ms", "floor_ms", "floor_by", "ratio", "checked"))'
fi
# Masks, borders, channels and every pixel type. Four more columns say so unless all are the defaults.
bench 0 --device cpu --size 60x50 --template 7x6 --task match --mask --border overlap --mode full --channels 2 --repeat 1 --format csv
[ "$(sed -n '1s/.*,checked,/checked,/p' out)" = checked,mode,border,channels,mask ] || { fail 'the header with the additional columns is wrong'; cat out; }
holds 'masked' awk -F, 'NR > 1 && ($17 != "exact" || $18 != "full" || $19 != "overlap" || $20 != 2 || $21 != "yes") { exit 1 } END { exit NR < 2 }' out
for options in '--pixel u8 --mask' '--pixel s8 --border mirror --mode same' '--pixel u16 --border overlap --mode full' \
    '--pixel s16 --channels 3' '--pixel u32 --mask --channels 2' '--pixel f32 --mask' '--pixel f64 --border wrap --mode same'; do
    bench 0 --device cpu --size 70x60 --template 9x8 --task match $options --repeat 1 --format csv
    holds "$options" awk -F, 'NR > 1 && $17 != "exact" { exit 1 } END { exit NR < 2 }' out
done
# Large problems with masks, channels and borders: regions are checked, too.
[ -n "$short" ] || regions 6300x79 f32 --border overlap --mode same
[ -n "$short" ] || regions 31000x79 u8 --mask
[ -n "$shortest" ] || regions 79x1700 u8 --channels 2 --border wrap --mode full
[ -n "$shortest" ] && small=72x64 || small=96x80
bench 0 --device cpu --find --mask --channels 3 --size $small --template 8x8 --batch 5 --repeat 1
[ "$(grep -c ' exact$' out)" -ge 2 ] || { fail '--find: masked'; cat out; }
bench 1 --device cpu --mask --size 8x8 --template 1x1 --task match
says '--mask: a template of one pixel has none to leave out'
bench 1 --device cpu --size 8x8 --template 9x9 --task match
says 'exceeds the image'

# All tables, in Markdown: the CPU's columns here, and one line that says so. (Under sanitizers those in JSON, below, have to do.)
if [ -z "$shortest" ]; then
    bench 0 --device cpu --tables --size 96x80 --template 8x8,16x12 --batch 3 --repeat 1
    prints 'No CUDA device is used'
    prints '| filter | width | height | side | cpu_1_thread_ms | cpu_kernel | cpu_ms | checked |'
    prints '| gaussian | 96 | 80 | 27 |'
    prints '| 96 | 80 | 16 | 12 | u8, template mask, border overlap | cpu |'
    prints 'ttaps_s'
    [ "$(grep -c '^### ' out)" -eq 8 ] || { fail '--tables: not eight tables'; cat out; }
    [ "$(grep -c ' | exact |$' out)" -eq 54 ] || { fail '--tables: not 54 rows that are all exact'; cat out; }
    holds '--tables: every line of a table has as many bars as its header' awk -F'|' '/^\|/ && n && NF != n { exit 1 } { n = /^\|/ ? NF : 0 }' out
    bench 0 --device cpu --tables --size 96x80 --template 8x8 --batch 3 --repeat 1 --format csv
    for header in width,height,pixel,template_width,template_height,device,kernel,ms,tmac_s,floor_ms,floor_by,ratio,checked \
        width,height,template_width,template_height,problem,device,kernel,ms,times_u8,checked \
        filter,width,height,side,cpu_1_thread_ms,cpu_kernel,cpu_ms,checked \
        device,kernel,pixel,width,height,template_width,template_height,ms,ttaps_s,gpixel_s,checked \
        device,kernel,method,pixel,width,height,template_width,template_height,found,map_ms,ms,end_to_end_ms,checked \
        device,kernel,method,pixel,width,height,template_width,template_height,templates,ms,end_to_end_ms,ms_each,tmac_s,checked \
        problem,device,memory,pixel,width,height,templates,alone_ms,ms,share,checked; do
        holds "--tables: the header $header" grep -qx "$header" out
    done
    bench 0 --device cpu --tables --size 96x80 --template 8x8 --batch 3 --repeat 1 --format table
    prints 'filter    width  height  side  cpu_1_thread_ms  cpu_kernel'
fi
# Searches, and many templates: small ones are checked with the reference, large ones with another kernel.
bench 0 --device cpu --find --size 96x80,64x64 --template 8x8 --batch 12 --repeat 1
prints 'The best 16 matches'
[ "$(grep -c ' exact$' out)" -eq 5 ] || { fail '--find: not five rows that are all exact'; cat out; }
[ -n "$shortest" ] && sizes='60x50 --template 16x16' || sizes='100x80 --template 32x32'
for pixel in u8 u16 f32; do
    bench 0 --device cpu --find --size $sizes --batch 3 --repeat 1 --pixel $pixel --kernel direct --method sqdiff --format csv
    holds "--find: every direct kernel, $pixel" awk -F, '/^cpu,/ && ($2 !~ /^direct-/ || $NF != "exact") { exit 1 } /^cpu,/ { n++ } END { exit n < 2 }' out
done
if [ -z "$short" ]; then
    bench 0 --device cpu --find --size 900x700 --template 64x64 --batch 9 --repeat 1
    [ "$(grep -c ' exact$' out)" -eq 4 ] || { fail '--find: large searches are not all exact'; cat out; }
fi
for method in ccoeff_normed sqdiff_normed; do
    one_in 2 || continue
    bench 0 --device cpu --find --size 130x90 --template 8x8 --batch 1 --repeat 1 --method $method --pixel u16 --format csv
    holds "--find: mixed sizes, $method" awk -F, '/^(find|best),cpu,host,u16,130,90,24,/ && $NF == "exact" { n++ } END { exit n != 2 }' out
done
# Some of the tables.
bench 0 --device cpu --table kinds,find --size 96x80 --template 8x8 --repeat 1 --format markdown
[ "$(grep -c '^### ' out)" -eq 2 ] || { fail '--table: not two tables'; cat out; }
[ "$(grep -c ' | exact |$' out)" -eq 21 ] || { fail '--table: not 21 rows that are all exact'; cat out; }
bench 2 --device cpu --table kinds,
bench 2 --device cpu --table finds
says 'sizes, kinds, filters'
bench 0 --device cpu --tables --find --size $small --template 8x8 --batch 2 --repeat 1 --format json
if command -v python3 >/dev/null; then
    holds 'JSON of the tables' python3 -c 'import json; d = json.load(open("out")); rows = dict(sizes=1, kinds=20, filters=3, templates=1, find=1, batch=1, mixed=2)
assert all(len(d[k]) == n for k, n in rows.items()) and all(r["checked"] == "exact" for k in rows for r in d[k])
assert d["batch"][0]["templates"] == 2 and d["find"][0]["found"] == 16 and d["kinds"][0]["times_u8"] == 1'
fi
if command -v jq >/dev/null; then
    holds 'jq reads the tables' jq -e '.find[0].ms > 0 and .filters[2].side == 27' out
fi
bench 1 --device cpu --find --size 8x8 --template 9x9
says 'exceeds the image'
bench 2 --device cpu --find --kernel nonsense --size 96x80 --template 8x8
says 'nothing to time: no kernel with the name nonsense can serve these sizes'

bench 0 --device cpu --threads 1 --size 32x32 --template 4x4 --task match --repeat 1 --format csv
run 0 --device cpu --quiet --size 32x32 --template 4x4 --task match --repeat 1
run 0 --version
# A long run says on stderr what it is doing, unless --quiet. Which run is long depends on the machine.
for side in ${shortest:+140} 200 400 800 1600 3200; do
    "$EXACTNCC" --device cpu --threads 1 --size ${side}x$side --template 32x32 --kernel reference --task match --repeat 1 >out 2>err || fail 'a long run fails'
    ! grep -q 'exactncc-bench: ' err || break
done
says 'exactncc-bench: '
finish
