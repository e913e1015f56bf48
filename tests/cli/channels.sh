# SPDX-License-Identifier: BSD-2-Clause
# --channels, and every pixel type.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'
picture() { "$HELPERS/make_picture" "$@" || fail "make_picture $*"; }
check() { # WHAT MAP ...
    what=$1
    shift
    holds "$what" "$HELPERS/check_map" "$@"
}
picture scene.tif cells.tif crop=100,40,50,40
picture templ.tif cells.tif crop=120,55,13,11

# All channels in one score: colours and bands, interleaved and in planes, of every type.
for type in u8 s8 u16 s16 u32 s32 f32 f64; do
    add=0
    case $type in s*) add=-128 ;; esac
    for shape in 'bands=3 rgb' 'bands=3 rgb planar' bands=5 'bands=2 planar'; do
        picture a.tif scene.tif as=$type add=$add $shape
        picture b.tif templ.tif as=$type add=$add $shape
        run 0 correlate $cpu --channels sum -o map.tif a.tif b.tif
        check "$type, $shape" map.tif general a.tif b.tif ccoeff_normed valid clamp sum
    done
    # One channel: luma for colours, otherwise the first.
    run 0 correlate $cpu --channels luma --method sqdiff_normed -o map.tif a.tif b.tif
    picture c.tif scene.tif as=$type add=$add
    picture d.tif templ.tif as=$type add=$add
    check "$type, first" map.tif general c.tif d.tif sqdiff_normed valid clamp
done
picture a.tif scene.tif bands=3 rgb
picture b.tif templ.tif bands=3 rgb
for method in ccoeff_normed ccoeff ccorr ccorr_normed sqdiff sqdiff_normed coverage; do
    run 0 correlate $cpu --channels sum --mode full --border overlap --method $method -o map.tif a.tif b.tif
    check "rgb, $method" map.tif general a.tif b.tif $method full overlap sum
done
run 0 correlate $cpu -o map.tif a.tif b.tif
check 'luma is the default' map.tif general a.tif b.tif ccoeff_normed valid clamp
run 0 find $cpu --channels sum --format json --top 1 a.tif b.tif
prints '"x": 20, "y": 15, "width": 13, "height": 11, "center_x": 26, "center_y": 20, "score": 1'
prints '"channels": 3, "device": "cpu"'
run 0 find $cpu --channels sum --subpixel --overlay over.tif --top 1 --format csv a.tif b.tif
prints 'a.tif,0,b.tif,20,15,13,11,26,20,1,'

# Alpha is a mask and not a channel; any other additional band is a channel.
for shape in '' planar; do
    picture a4.tif scene.tif bands=3 rgb $shape alpha=22,17,9,8
    picture b4.tif templ.tif bands=3 rgb $shape
    picture one.tif scene.tif hole=0,0,50,40,1
    picture am.tif one.tif hole=22,17,9,8,0
    run 0 correlate $cpu --channels sum -o map.tif a4.tif b4.tif
    check "rgb and alpha, $shape" map.tif general a.tif b.tif ccoeff_normed valid clamp sum image_mask=am.tif
    run 0 correlate $cpu -o map.tif a4.tif b4.tif
    check "luma and alpha, $shape" map.tif general a.tif b.tif ccoeff_normed valid clamp image_mask=am.tif
done
picture a5.tif scene.tif bands=4 rgb alpha=22,17,9,8
picture b5.tif templ.tif bands=4 rgb
picture a6.tif scene.tif bands=4
picture b6.tif templ.tif bands=4
run 0 correlate $cpu --channels sum -o map.tif a5.tif b5.tif
check 'four bands and alpha' map.tif general a6.tif b6.tif ccoeff_normed valid clamp sum image_mask=am.tif
# A pixel with several samples has no data only if all of its samples have the no-data value.
picture a7.tif scene.tif bands=3 rgb hole=5,5,9,9,200
run 0 correlate $cpu --channels sum --no-data 200 -o map.tif a7.tif b.tif
check 'no-data in all samples' map.tif general a7.tif b.tif ccoeff_normed valid clamp sum no_data=200
run 0 correlate $cpu --no-data 200 -o map.tif a7.tif b.tif
picture holes.tif one.tif hole=5,5,9,9,0
check 'no-data before luma' map.tif general a7.tif b.tif ccoeff_normed valid clamp image_mask=holes.tif
# A seventh of the pixels are (86, 196, 134).
for value in 86 196 134; do
    for channels in sum luma; do
        run 0 correlate $cpu --channels $channels --no-data $value --method ccorr -o map.tif a.tif b.tif
        check "no-data $value in one sample, $channels" map.tif general a.tif b.tif ccorr valid clamp $channels
    done
done
# A mask with several channels: one sample that is not 0 is enough.
picture m.tif templ.tif bands=3 rgb hole=3,3,4,4,0
picture m1.tif templ.tif hole=3,3,4,4,0
run 0 correlate $cpu --channels sum --mask m.tif -o map.tif a.tif b.tif
check 'a mask in colour' map.tif general a.tif b.tif ccoeff_normed valid clamp sum mask=m1.tif

# Image and template of different types: the first type that represents both is used.
picture s8.tif scene.tif as=s8 add=-128
picture s16.tif scene.tif as=s16 add=-128
for pair in u8:u8:u8 s8:s8:s8 s8:u8:s16 s16:u8:s16 u8:u16:u16 u16:s16:f32 u8:u32:u32 u16:u32:u32 u32:s16:f64 u32:f32:f64 u8:f32:f32 s16:f32:f32 \
    f64:u8:f64 s32:s32:f64 s32:u8:f64; do
    a=${pair%%:*} b=${pair#*:} both=${pair##*:}
    b=${b%:*}
    add=0
    case $a in s*) add=-128 ;; esac
    picture a8.tif scene.tif as=$a add=$add
    add=0
    case $b in s*) add=-128 ;; esac
    picture b8.tif templ.tif as=$b add=$add
    run 0 find $cpu --top 1 --format json a8.tif b8.tif
    prints "\"pixel\": \"$both\""
    prints '"x": 20, "y": 15, "width": 13, "height": 11, "center_x": 26, "center_y": 20, "score": 1'
done

# Combinations that are refused.
run 1 find $cpu --channels sum a.tif templ.tif
says 'templ.tif: has 1 samples per pixel, but a.tif has 3; give pictures with the same number, or --channels luma'
run 1 correlate $cpu --channels sum a6.tif b.tif -o no.tif
says 'b.tif: has 3 samples per pixel, but a6.tif has 4'
picture many.tif templ.tif bands=65
run 1 find $cpu --channels sum many.tif many.tif
says 'many.tif: page 0: SamplesPerPixel 65: --channels sum takes at most 64; use --channels luma, or split the file'
run 0 find $cpu --top 1 --format csv many.tif many.tif
prints 'many.tif,0,many.tif,0,0,13,11,6,5,1'
picture many.tif templ.tif bands=64 alpha=1,1,2,2
run 0 find $cpu --channels sum --top 1 --format csv many.tif many.tif
prints 'many.tif,0,many.tif,0,0,13,11,6,5,1'
[ ! -e no.tif ] || fail 'a refused map was written'
finish
