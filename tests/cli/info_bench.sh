# corrmatch info and bench.
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
run 0 info --device cpu --format json
prints '"version": "'
prints '"feasible": ["'
if command -v python3 >/dev/null; then
    holds 'info: JSON' python3 -c 'import json; d = json.load(open("out")); assert d["choice"]["kernel"] in d["choice"]["feasible"]'
fi

run 0 bench --device cpu --size 64x48,33x20 --template 5x4,9x9 --repeat 2 --format csv
[ "$(head -n 1 out)" = device,kernel,method,pixel,width,height,template_width,template_height,ms,gmac_s,gpixel_s,end_to_end_ms,floor_ms,ratio,checked ] ||
    fail 'bench: header'
holds 'bench: every row is exact' awk -F, 'NR > 1 && ($15 != "exact" || $9 <= 0) { exit 1 } END { exit NR < 17 }' out
holds 'bench: both tasks' grep -q ',convolve,' out
run 0 bench --device cpu --size 64x48 --template 5x4 --task match --kernel reference --pixel f32 --mode same --method sqdiff
prints 'reference  sqdiff  f32 '
[ "$(wc -l <out)" -eq 2 ] || fail 'bench: --kernel leaves one'
# Too much for the reference kernel in whole: parts are checked.
for mode in valid same; do
    for pixel in u8 u16 f32; do
        [ $mode$pixel != sameu16 ] && [ $mode$pixel != samef32 ] || continue
        run 0 bench --device cpu --size 900x700 --template 64x64 --mode $mode --task match --kernel direct-portable --repeat 1 --format csv --pixel $pixel
        holds "bench: parts, $mode, $pixel" awk -F, 'NR > 1 && $15 != "exact" { exit 1 } END { exit NR < 2 }' out
    done
done
run 0 bench --device cpu --size 2000x1500 --template 33x27 --task convolve --kernel direct-portable --repeat 1 --format json
prints '"checked": "exact"'
prints '"rows": ['
if command -v python3 >/dev/null; then
    holds 'bench: JSON' python3 -c 'import json; d = json.load(open("out")); assert d["device"] == "cpu" and all(k in d["rows"][0] for k in
        ("kernel", "method", "width", "height", "template_width", "template_height", "ms", "gmac_s", "gpixel_s", "end_to_end_ms", "checked"))'
fi
run 1 bench --device cpu --size 8x8 --template 9x9 --task match
says 'exceeds the image'
finish
