# exactncc info and bench.
. "${0%/*}/lib.sh"

run 0 info
prints 'Devices'
prints 'cpu '
prints 'cuda'
prints 'LIBTIFF'
prints 'LZW'
prints 'feasible kernels, best first:'
run 0 info --device cpu --size 100x90 --template 7x5 --pixel u16 --method sqdiff --mode same --kernel reference
prints 'Choice for a 100 x 90 u16 image, a 7 x 5 template, sqdiff, same'
prints 'reference'
run 0 info --device cpu --size 100x90 --template 7x5 --channels 3 --mask --image-mask --mode full --border overlap --min-valid 0.7
prints 'Choice for a 100 x 90 masked u8 image, a 7 x 5 masked template, 3 channels, ccoeff_normed, full, overlap'
run 0 info --device cpu --mode same --border wrap --pixel s8
prints 's8 image, a 64 x 64 template, ccoeff_normed, same, wrap'
run 0 info --device cpu --format json
prints '"version": "'
prints '"feasible": ["'
prints '"border": "clamp", "channels": 1, "template_masked": false, "image_masked": false'
if command -v python3 >/dev/null; then
    holds 'info: JSON' python3 -c 'import json; d = json.load(open("out")); assert d["choice"]["kernel"] in d["choice"]["feasible"]'
fi

run 0 bench --device cpu --size 64x48,33x20 --template 5x4,9x9 --repeat 2 --format csv
[ "$(head -n 1 out)" = device,kernel,method,pixel,width,height,template_width,template_height,ms,gmac_s,tmac_s,gpixel_s,end_to_end_ms,floor_ms,floor_by,ratio,checked ] ||
    fail 'bench: header'
holds 'bench: every row is exact' awk -F, 'NR > 1 && ($17 != "exact" || $9 <= 0) { exit 1 } END { exit NR < 17 }' out
holds 'bench: on the CPU the floor is that of bytes, and the ratio is to it' awk -F, 'NR > 1 && ($15 != "bytes" || $14 <= 0 || ($16 * $14 / $9 - 1)^2 > 1e-6 || ($10 / $11 / 1000 - 1)^2 > 1e-6) { exit 1 }' out
holds 'bench: both tasks' grep -q ',convolve,' out
run 0 bench --device cpu --size 64x48 --template 5x4 --task match --kernel reference --pixel f32 --mode same --method sqdiff
prints 'reference  sqdiff  f32 '
[ "$(wc -l <out)" -eq 2 ] || fail 'bench: --kernel leaves one'
# Too much for the reference kernel in whole: parts are checked.
for mode in valid same; do
    for pixel in u8 u16 f32; do
        [ $mode$pixel != sameu16 ] && [ $mode$pixel != samef32 ] || continue
        run 0 bench --device cpu --size 900x700 --template 64x64 --mode $mode --task match --kernel direct-portable --repeat 1 --format csv --pixel $pixel
        holds "bench: parts, $mode, $pixel" awk -F, 'NR > 1 && $17 != "exact" { exit 1 } END { exit NR < 2 }' out
    done
done
run 0 bench --device cpu --size 2000x1500 --template 33x27 --task convolve --kernel direct-portable --repeat 1 --format json
prints '"checked": "exact"'
prints '"rows": ['
if command -v python3 >/dev/null; then
    holds 'bench: JSON' python3 -c 'import json; d = json.load(open("out")); assert d["device"] == "cpu" and all(k in d["rows"][0] for k in
        ("kernel", "method", "width", "height", "template_width", "template_height", "ms", "gmac_s", "tmac_s", "gpixel_s", "end_to_end_ms", "floor_ms", "floor_by", "ratio", "checked"))'
fi
# Masks, borders, channels and all pixel types; four more columns where they are not the usual ones.
run 0 bench --device cpu --size 60x50 --template 7x6 --task match --mask --border overlap --mode full --channels 2 --repeat 1 --format csv
[ "$(sed -n '1s/.*,checked,/checked,/p' out)" = checked,mode,border,channels,mask ] || { fail 'bench: the header with more columns'; cat out; }
holds 'bench: masked' awk -F, 'NR > 1 && ($17 != "exact" || $18 != "full" || $19 != "overlap" || $20 != 2 || $21 != "yes") { exit 1 } END { exit NR < 2 }' out
for options in '--pixel u8 --mask' '--pixel s8 --border mirror --mode same' '--pixel u16 --border overlap --mode full' \
    '--pixel s16 --channels 3' '--pixel u32 --mask --channels 2' '--pixel f32 --mask' '--pixel f64 --border wrap --mode same'; do
    run 0 bench --device cpu --size 70x60 --template 9x8 --task match $options --repeat 1 --format csv
    holds "bench: $options" awk -F, 'NR > 1 && $17 != "exact" { exit 1 } END { exit NR < 2 }' out
done
# Parts are checked where the whole is too much for the reference.
for options in '--pixel f32 --border overlap --mode same' '--mask' '--channels 2 --border wrap --mode full'; do
    run 0 bench --device cpu --size 900x700 --template 64x64 --task match $options --kernel direct-portable --repeat 1 --format csv
    holds "bench: parts, $options" awk -F, 'NR > 1 && $17 != "exact" { exit 1 } END { exit NR < 2 }' out
done
run 0 bench --device cpu --find --mask --channels 3 --size 96x80 --template 8x8 --batch 5 --repeat 1
[ "$(grep -c ' exact$' out)" -ge 2 ] || { fail 'bench --find: masked'; cat out; }
run 1 bench --device cpu --mask --size 8x8 --template 1x1 --task match
says '--mask: a template of one pixel has none to spare'
run 1 bench --device cpu --size 8x8 --template 9x9 --task match
says 'exceeds the image'

# The published tables: the CPU's columns here, and one line that says so.
run 0 bench --device cpu --tables --size 96x80 --template 8x8,16x12 --repeat 1
prints 'No CUDA device is used'
prints 'filter    width  height  side  cpu_1_thread_ms  cpu_kernel'
prints 'gaussian     96      80    27'
prints 'ttaps_s'
[ "$(grep -c ' exact$' out)" -eq 5 ] || { fail 'bench --tables: five rows, all exact'; cat out; }
run 0 bench --device cpu --tables --size 96x80 --template 8x8 --repeat 1 --format csv
[ "$(sed -n '1p;6p' out | tr '\n' ' ')" = 'filter,width,height,side,cpu_1_thread_ms,cpu_kernel,cpu_ms,checked device,kernel,pixel,width,height,template_width,template_height,ms,ttaps_s,gpixel_s,checked ' ] ||
    { fail 'bench --tables: the two headers'; cat out; }
# Searches and a bank, small (against the reference) and with parts too large for it.
run 0 bench --device cpu --find --size 96x80,64x64 --template 8x8 --batch 12 --repeat 1
prints 'The best 16 matches'
[ "$(grep -c ' exact$' out)" -eq 3 ] || { fail 'bench --find: three rows, all exact'; cat out; }
for pixel in u8 u16 f32; do
    run 0 bench --device cpu --find --size 160x120 --template 32x32 --batch 3 --repeat 1 --pixel $pixel --kernel direct --method sqdiff --format csv
    holds "bench --find: every direct kernel, $pixel" awk -F, '/^cpu,/ && ($2 !~ /^direct-/ || $NF != "exact") { exit 1 } /^cpu,/ { n++ } END { exit n < 2 }' out
done
run 0 bench --device cpu --find --size 900x700 --template 64x64 --batch 9 --repeat 1
[ "$(grep -c ' exact$' out)" -eq 2 ] || { fail 'bench --find: parts are checked'; cat out; }
run 0 bench --device cpu --tables --find --size 96x80 --template 8x8 --batch 2 --repeat 1 --format json
if command -v python3 >/dev/null; then
    holds 'bench: JSON of the tables' python3 -c 'import json; d = json.load(open("out")); assert [len(d[k]) for k in ("filters", "templates", "find", "batch")] == [3, 1, 1, 1] and all(
        r["checked"] == "exact" for k in ("filters", "templates", "find", "batch") for r in d[k]) and d["batch"][0]["templates"] == 2 and d["find"][0]["found"] == 16'
fi
if command -v jq >/dev/null; then
    holds 'bench: jq reads the tables' jq -e '.find[0].ms > 0 and .filters[2].side == 27' out
fi
run 1 bench --device cpu --find --size 8x8 --template 9x9
says 'exceeds the image'
run 2 bench --device cpu --batch 0
says '--batch 0: must be a whole number 1 .. 10000'
run 2 bench --device cpu --find --kernel nonsense --size 96x80 --template 8x8
says 'no kernel to time'
finish
