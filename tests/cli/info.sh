# SPDX-License-Identifier: BSD-2-Clause
# exactncc info: devices, limits, and the choice of the kernel, as text and as JSON.
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
# A convolution: the choice, and its own defaults and options.
run 0 info --device cpu --task convolve
prints 'Choice for a 1920 x 1080 u8 image, a 5 x 5 filter, clamp'
prints 'all data: host memory'
run 0 info --device cpu --task convolve --size 640x480 --template 127x3 --pixel f32 --border zero --kernel reference
prints 'Choice for a 640 x 480 f32 image, a 127 x 3 filter, zero'
prints 'kernel reference on the CPU engine: forced by name'
run 0 info --device cpu --task convolve --template 27x27 --format json
prints '"task": "convolve", "image_width": 1920, "image_height": 1080, "filter_width": 27, "filter_height": 27, "pixel": "u8", "border": "clamp", "kernel": '
run 2 info --device cpu --task convolve --template 128x3
says 'filter: extents of 128 x 3 are not within 1 .. 127'
run 2 info --device cpu --task convolve --border mirror
says 'convolution supports only the borders clamp and zero'
run 2 info --device cpu --task convolve --channels 3
says 'only images of one channel'
run 2 info --device cpu --task convolve --image-mask
says 'without mask'
for option in '--method sqdiff' '--mode same' --mask '--min-valid 0.1'; do
    run 2 info --device cpu --task convolve $option
    says '--task convolve: takes no --method, --mode, --mask and --min-valid'
done
run 2 info --task all
says '--task all: must be match or convolve'

# Lists of kernels: the first that can serve.
run 0 info --device cpu --kernel reference,direct
prints 'kernel reference on the CPU engine: forced by name'
run 0 info --device cpu --kernel shared,conv-tiled,reference
prints 'kernel reference on the CPU engine: forced by name'
prints 'refused before it: kernel shared needs the CUDA engine, which this context does not have; kernel conv-tiled does not serve matching'
run 2 info --device cpu --kernel shared,tex-tex
says 'no kernel of the list can serve: kernel shared needs the CUDA engine, which this context does not have; kernel tex-tex needs the CUDA engine'
run 2 info --device cpu --kernel reference,nothing
says "there is no kernel named 'nothing'"

# Every kernel: one row each, of both tasks, with the memories that textbook.md names.
run 0 info --device cpu --kernels
prints 'Kernels, and whether they can serve a 1920 x 1080 u8 image, a 64 x 64 template, ccoeff_normed, valid'
kernels=$(sed -n 's/^ *K([A-Z0-9_]*, "\([a-z0-9-]*\)".*/\1/p' "$KERNELS")
holds 'a row per kernel, in their order' [ "$(sed '1,2d; s/ .*//' out)" = "$kernels" ]
row() { # NAME FIELD...: the row has the fields, which two blanks or more separate
    name=$1
    shift
    line=$(grep "^$name  " out | sed 's/   */|/g; s/|$//')
    want=$name
    for field in "$@"; do want="$want|$field"; done
    checks=$((checks + 1))
    [ "$line" = "$want" ] || fail "the row is '$line', not '$want'"
}
host='host memory' device='device memory' parameter='kernel parameter'
no_cuda() { echo "kernel $1 needs the CUDA engine, which this context does not have"; }
row kernel task engine image template sums result serves why_not
row reference 'match, convolve' cpu "$host" "$host" "$host" "$host" yes
row tex-tex match cuda texture texture "$parameter" "$device" no "$(no_cuda tex-tex)"
row tex-constant match cuda texture 'constant memory' "$parameter" "$device" no "$(no_cuda tex-constant)"
row shared match cuda 'texture, then shared memory' 'constant memory' "$parameter" "$device" no "$(no_cuda shared)"
row fft match cuda texture "$device" "$parameter" "$device" no "$(no_cuda fft)"
run 0 info --device cpu --kernels --task convolve --template 27x27 --pixel f32
row conv-global convolve cuda "$device" "$device" none "$device" no "$(no_cuda conv-global)"
row conv-constant convolve cuda "$device" 'constant memory' none "$device" no "$(no_cuda conv-constant)"
row conv-tiled convolve cuda "$device, then shared memory" "constant memory or, unrolled, $parameter" none "$device" no "$(no_cuda conv-tiled)"
row conv-registers convolve cuda "$device, then registers" "$parameter" none "$device" no "$(no_cuda conv-registers)"
row fft-portable match cpu "$host" "$host" "$host" "$host" no 'kernel fft-portable does not serve convolution'
run 0 info --device cpu --kernels --task convolve --format json
prints '"problem": {"task": "convolve", '
prints '{"kernel": "conv-cached-halo", "task": "convolve", "engine": "cuda", '
if command -v python3 >/dev/null; then
    holds 'info --kernels: JSON' python3 -c 'import json; d = json.load(open("out")); assert len(d["kernels"]) > 20 and all((k["serves"] == "yes") == (k["why_not"] == "") for k in d["kernels"]) and d["kernels"][0]["serves"] == "yes"'
fi
run 2 info --kernels --kernel shared
says '--kernel shared: is not for --kernels'

# The limits of a CUDA device; without one they are 0.
run 0 info --device cpu --format json
for member in constant_memory l2_cache registers_per_block registers_per_processor texture_width texture_height texture_pitch; do
    holds "info: $member of the CPU" [ "$(grep -c "\"device\": \"cpu\".*\"$member\": 0, " out)" -eq 1 ]
done
# What --device auto does.
run 0 info --size 640x480 --template 32x32
prints '--device auto: one such image does not start CUDA, because the CPU is expected to take '
run 0 info --size 30000x30000 --template 127x127 --kernel reference
prints '--device auto: one such image starts CUDA, because the CPU is expected to take '
run 0 info --size 640x480 --template 32x32 --format json
prints '"auto_starts_cuda": false, "auto_reason": "the CPU is expected to take '
run 0 info --device cpu --size 640x480 --template 32x32
holds 'with --device cpu nothing is said' sh -c '! grep -q "device auto" out'
finish
