# SPDX-License-Identifier: BSD-2-Clause
# The tool on a GPU: the bytes of the CPU, and --device auto, which starts CUDA for long jobs only.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
if ! "$EXACTNCC" find -q --device cuda board.tif board-fiducial.tif >out 2>err; then
    cat err
    grep -q '^exactncc find: --device cuda:0: ' err || exit 1
    exit 77
fi
for type in u16 f32; do
    "$HELPERS/make_pages" --as $type board-$type.tif board.tif || fail "make_pages $type"
done
"$HELPERS/make_pages" pages.tif board.tif cells.tif stars.tif || fail 'make_pages'
"$HELPERS/make_picture" colour.tif cells.tif bands=3 rgb || fail 'make_picture'
"$HELPERS/make_picture" disc.tif cells.tif disc || fail 'make_picture'
printf '1 2 1\n2 4 2\n1 2 1\n' >filter

# same ARGUMENTS...: matches are the same on the CPU and on the GPU.
same() {
    run 0 "$@" --format csv --device cpu
    cp out cpu.csv
    run 0 "$@" --format csv --device cuda
    holds "other matches on the GPU: $*" cmp cpu.csv out
    [ "$(wc -l <out)" -gt 1 ] || fail "no match: $*"
}

# same_file ENDING ARGUMENTS...: so are the pixels that are written to a file.
same_file() {
    ending=$1
    shift
    run 0 "$@" -q --device cpu -o "cpu.$ending"
    run 0 "$@" -q --device cuda -o "cuda.$ending"
    holds "other pixels on the GPU: $*" cmp "cpu.$ending" "cuda.$ending"
}

templates='-t board-fiducial.tif -t cells-template.tif -t stars-cluster.tif'
same find board.tif board-fiducial.tif
same find $templates board.tif cells.tif stars.tif
same find $templates --merge iou:0.3 --min-score 0.4 cells.tif board.tif
same find $templates --page all pages.tif
same find $templates --page 1-2 --top 3 pages.tif
same find $templates --subpixel cells.tif stars.tif
same find --mask buttons-mask.tif buttons.tif buttons-template.tif
same find --image-mask disc.tif --min-valid 0.3 cells.tif cells-template.tif
same find --channels sum --top 5 colour.tif colour.tif@30,40,31,17
same find --roi 20,30,300,200 board.tif board-fiducial.tif
same find --mode full --border overlap --min-valid 0.2 board.tif board-fiducial.tif
same find --angles 0:90:5 --pose-search exhaustive buttons.tif buttons-template.tif
same find --angles 0:360 --pose-search exhaustive buttons.tif buttons-template.tif
same track --chip 24 --grid 8 --back flow-1.tif flow-2.tif
same track --chip 48,24 --search 12,4 --grid 12 --fit gaussian --deform 1 flow-1.tif flow-2.tif
same track --chip 32 --fit oversampled --outliers 2 --replace flow-1.tif flow-2.tif
# Many small pages, which are searched in few calls; the last of a kind, and those of other kinds.
for i in 1 2 3; do cat board.tif cells.tif stars.tif; done | head -c $((300 * 4096)) >frames.raw
raw='--raw 64x64:u8 --page all -t cells-template.tif frames.raw'
same find --top 2 $raw
same find --top 1 --subpixel $raw
same find --top 3 --mode full --border zero $raw
same find --top 1 --threads 1 $raw
same find --top 2 -t stars-cluster.tif stars.tif cells.tif stars.tif stars.tif board.tif cells.tif stars.tif
for method in ccoeff ccorr ccorr_normed coverage; do
    same find --method $method --top 5 stars.tif stars-cluster.tif
done
for method in sqdiff sqdiff_normed; do
    same find --method $method --top 5 board.tif board-fiducial.tif
done
for type in u16 f32; do
    same find board-$type.tif board-$type.tif@40,50,33,21
    same_file npy correlate board-$type.tif board-$type.tif@40,50,33,21
    same_file npy convolve --filter filter board-$type.tif
done
same_file npy correlate board.tif board-fiducial.tif
same_file tif correlate --mode same --border mirror cells.tif cells-template.tif
same_file tif correlate --page all pages.tif cells-template.tif
same_file npy correlate --channels sum colour.tif colour.tif@30,40,31,17
same_file tif convolve --gaussian 2 cells.tif
same_file tif convolve --filter filter --page all pages.tif
for kernel in shared tex-tex shared,tex-tex; do
    run 0 find --device cuda --kernel $kernel --format csv board.tif board-fiducial.tif
    cp out "$kernel.csv"
done
run 0 find --device cpu --format csv board.tif board-fiducial.tif
for kernel in shared tex-tex shared,tex-tex; do
    holds "other matches with --kernel $kernel" cmp "$kernel.csv" out
done

# The driver's library is opened by a process that starts CUDA, and by no other.
loader() {
    LD_DEBUG=files "$EXACTNCC" "$@" >out 2>err || fail "status of $*"
    checks=$((checks + 1))
    grep -q 'file=libcuda\.so' err
}
loader find -q --device cuda board.tif board-fiducial.tif || fail '--device cuda does not open the driver'
if loader find -q --format json board.tif board-fiducial.tif; then fail '--device auto starts CUDA for a small picture'; fi
prints '"device": "cpu"'
prints 'no more than the 330 ms that CUDA takes to start'
i=0
while [ $i -lt 200 ]; do
    echo cells.tif
    i=$((i + 1))
done >list
args='find -q --threads 1 --format json --top 1 --mode full --border overlap --min-valid 0.2 -t buttons.tif@0,0,200,150 -t board.tif@0,0,200,150 @list'
loader $args || fail '--device auto does not start CUDA for a long job'
prints '"device": "cuda'
prints 'more than the 330 ms that CUDA takes to start'
grep -v '"device' out >auto.json
run 0 $args --device cpu
grep -v '"device' out | sed 's/"device": "cpu", "kernel": "[^"]*"//' >cpu.json
sed -i 's/"device": "cuda[^"]*", "kernel": "[^"]*"//' auto.json
holds 'other matches in a long job' cmp cpu.json auto.json
finish
