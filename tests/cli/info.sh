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
finish
