# SPDX-License-Identifier: BSD-2-Clause
# --mask, --image-mask, --no-data, GDAL's tag, alpha, --min-valid, --coverage.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'
picture() { "$HELPERS/make_picture" "$@" || fail "make_picture $*"; }
check() { # WHAT MAP ...
    what=$1
    shift
    holds "$what" "$HELPERS/check_map" "$@"
}
picture scene.tif cells.tif crop=100,40,60,50
picture templ.tif cells.tif crop=120,55,15,12
picture spare.tif templ.tif spare=30
picture disc.tif templ.tif disc
picture holes.tif scene.tif spare=12

for method in ccoeff_normed ccoeff ccorr ccorr_normed sqdiff sqdiff_normed coverage; do
    run 0 correlate $cpu --method $method --mask spare.tif -o map.tif scene.tif templ.tif
    check "mask, $method" map.tif general scene.tif templ.tif $method valid clamp mask=spare.tif
    run 0 correlate $cpu --method $method --image-mask holes.tif --mask disc.tif --mode same --border mirror -o map.tif scene.tif templ.tif
    check "both masks, $method" map.tif general scene.tif templ.tif $method same mirror mask=disc.tif image_mask=holes.tif
    [ $method = coverage ] || run 0 correlate $cpu --coverage again.tif --method $method --image-mask holes.tif --mask disc.tif --mode same --border mirror -o map.tif scene.tif templ.tif
done
holds '--coverage is the map of method coverage' "$HELPERS/check_map" again.tif general scene.tif templ.tif coverage same mirror mask=disc.tif image_mask=holes.tif
run 0 correlate $cpu --coverage cover.tif --heatmap heat.tif --mask spare.tif --image-mask holes.tif --format csv -o map.tif scene.tif templ.tif
[ "$(sed -n '2,3s/,.*//p' out | tr '\n' ' ')" = 'map.tif cover.tif ' ] || { fail 'not one row per map'; cat out; }
holds 'colours' "$HELPERS/check_heatmap" heat.tif map.tif ccoeff_normed scene.tif 7 6
run 0 correlate $cpu --method coverage --mask spare.tif --image-mask holes.tif --heatmap heat.tif -o map.tif scene.tif templ.tif
holds '--coverage with a template mask' "$HELPERS/check_map" cover.tif general scene.tif templ.tif coverage valid clamp mask=spare.tif image_mask=holes.tif
holds 'colours of coverage' "$HELPERS/check_heatmap" heat.tif map.tif coverage scene.tif 7 6
for min in 0.6 0.65 1; do
    run 0 correlate $cpu --mask spare.tif --image-mask holes.tif --min-valid $min -o map.tif scene.tif templ.tif
    check "min-valid $min" map.tif general scene.tif templ.tif ccoeff_normed valid clamp mask=spare.tif image_mask=holes.tif min=$min
done
# A mask in which every pixel counts changes nothing, not even the kernel.
picture all.tif templ.tif hole=0,0,15,12,7
run 0 find $cpu --format json scene.tif templ.tif
cp out plain
run 0 find $cpu --mask all.tif --format json scene.tif templ.tif
holds 'a mask in which every pixel counts' cmp plain out
# --roi also crops the mask of the image.
run 0 correlate $cpu --image-mask holes.tif --roi 7,9,40,30 -o map.tif scene.tif templ.tif
picture scene-cut.tif scene.tif crop=7,9,40,30
picture holes-cut.tif holes.tif crop=7,9,40,30
check 'roi' map.tif general scene-cut.tif templ.tif ccoeff_normed valid clamp image_mask=holes-cut.tif

# The match is found although 30 percent of the template is masked and changed, and the image has holes.
picture spoilt.tif templ.tif hole=4,3,7,6,255
picture window.tif templ.tif as=u8 spare=1 hole=4,3,7,6,0
run 0 find $cpu --mask window.tif --top 1 --format csv scene.tif spoilt.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score
scene.tif,0,spoilt.tif,20,15,15,12,27,20.5,1
END
run 0 find $cpu --mask window.tif --subpixel --image-mask holes.tif --top 1 --threads 1 --format csv scene.tif spoilt.tif
prints 'scene.tif,0,spoilt.tif,20,15,15,12,27,20.5,1,'
# One mask per template, in order.
run 0 find $cpu --mask - --mask window.tif --top 1 --format csv scene.tif -t templ.tif -t spoilt.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score
scene.tif,0,templ.tif,20,15,15,12,27,20.5,1
scene.tif,0,spoilt.tif,20,15,15,12,27,20.5,1
END
run 0 find $cpu --mask window.tif --mask - --top 1 --merge iou:0.5 --format csv scene.tif -t spoilt.tif -t templ.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score
scene.tif,0,spoilt.tif,20,15,15,12,27,20.5,1
END

# No-data: the value as stored in image and template, from the option or from the file's tag.
picture dark.tif scene.tif hole=22,17,9,8,70
picture dark-templ.tif templ.tif hole=2,1,4,4,70
for what in u8:70 u16:70 s16:70 u32:70 f32:70 f64:70; do
    type=${what%:*}
    picture a.tif dark.tif as=$type
    picture b.tif dark-templ.tif as=$type
    picture a-tag.tif dark.tif as=$type nodata=" ${what#*:}.0 "
    picture b-tag.tif dark-templ.tif as=$type nodata=7e1
    run 0 correlate $cpu --no-data 70 -o map.tif a.tif b.tif
    check "no-data, $type" map.tif general a.tif b.tif ccoeff_normed valid clamp no_data=70
    run 0 correlate $cpu -o tag.tif a-tag.tif b-tag.tif
    check "the tag, $type" tag.tif general a.tif b.tif ccoeff_normed valid clamp no_data=70
    run 0 correlate $cpu --no-data none -o map.tif a-tag.tif b-tag.tif
    check "--no-data none, $type" map.tif general a.tif b.tif ccoeff_normed valid clamp
    run 0 correlate $cpu --no-data 71 -o map.tif a-tag.tif b-tag.tif
    check "the option before the tag, $type" map.tif general a.tif b.tif ccoeff_normed valid clamp no_data=71
done
for type in f32 f64; do
    picture a.tif scene.tif as=$type hole=22,17,9,8,nan
    picture a-tag.tif scene.tif as=$type hole=22,17,9,8,nan nodata=nan
    picture b.tif templ.tif as=$type
    run 0 correlate $cpu --no-data nan -o map.tif a.tif b.tif
    check "NaN, $type" map.tif general a.tif b.tif ccoeff_normed valid clamp no_data=nan
    run 0 correlate $cpu -o tag.tif a-tag.tif b.tif
    check "NaN by the tag, $type" tag.tif general a.tif b.tif ccoeff_normed valid clamp no_data=nan
    run 0 correlate $cpu -o map.tif a.tif b.tif
    if "$HELPERS/check_map" map.tif general a.tif b.tif ccoeff_normed valid clamp no_data=nan >/dev/null; then fail 'check_map does not distinguish NaN without the no-data value'; fi
done
# The lowest float in the decimal forms that GDAL has written.
picture a.tif scene.tif as=f32 hole=22,17,9,8,-3.4028234663852886e38
picture b.tif templ.tif as=f32
for text in -3.4028234663852886e+38 -3.40282346638529011e+38 -3.4028235e+38; do
    picture a-tag.tif scene.tif as=f32 hole=22,17,9,8,-3.4028234663852886e38 nodata=$text
    run 0 correlate $cpu -o map.tif a-tag.tif b.tif
    check "the least float, $text" map.tif general a.tif b.tif ccoeff_normed valid clamp no_data=-3.4028234663852886e38
done
# A value that the type cannot represent excludes no pixel, and the kernel stays the same.
for value in -9999 70.5 256 nan 1e300; do
    picture a.tif scene.tif nodata=$value
    run 0 find $cpu --format json a.tif templ.tif
    sed 's/a\.tif/scene.tif/' out >again
    holds "no-data $value of u8" cmp plain again
    run 0 find $cpu --no-data $value --format json scene.tif templ.tif
    holds "--no-data $value of u8" cmp plain out
done
picture a.tif scene.tif nodata=1e999 # beyond double: no type has it
run 0 find $cpu --format json a.tif templ.tif
sed 's/a\.tif/scene.tif/' out >again
holds 'no-data 1e999 of u8' cmp plain again
for value in x '1 2' 0x10 --1 1e999x "$(printf '7\001')" "$(printf '%080d' 1)"; do
    picture a.tif scene.tif "nodata=$value"
    run 1 find $cpu a.tif templ.tif
    says 'a.tif: page 0: GDAL_NODATA "'
    says 'is not a number; give --no-data with the right value, or --no-data none'
    run 1 find $cpu scene.tif a.tif
    run 0 find $cpu --no-data none a.tif templ.tif
    run 0 convolve $cpu --gradient x a.tif -o map.tif
done
picture a.tif scene.tif 'nodata= '
run 0 find $cpu a.tif templ.tif

# Alpha is a mask.
picture a.tif scene.tif alpha=22,17,9,8
picture b.tif templ.tif alpha=2,1,4,4
run 0 correlate $cpu -o map.tif a.tif b.tif
picture one.tif scene.tif hole=0,0,60,50,1
picture am.tif one.tif hole=22,17,9,8,0
picture two.tif templ.tif hole=0,0,15,12,1
picture bm.tif two.tif hole=2,1,4,4,0
check 'alpha' map.tif general scene.tif templ.tif ccoeff_normed valid clamp image_mask=am.tif mask=bm.tif
printf '1 0 -1\n2 0 -2\n1 0 -1\n' >x3
run 0 convolve $cpu --gradient x a.tif -o map.tif
check 'a convolution takes all pixels' map.tif filter scene.tif x3 convolve clamp
# Alpha and --image-mask: a pixel must count in both.
run 0 correlate $cpu --image-mask holes.tif -o map.tif a.tif templ.tif
picture both.tif holes.tif hole=22,17,9,8,0
check 'alpha and mask' map.tif general scene.tif templ.tif ccoeff_normed valid clamp image_mask=both.tif

# Masks of every type: a pixel that is not 0 counts.
for type in u16 s16 u32 f32 f64; do
    picture m.tif spare.tif as=$type
    run 0 correlate $cpu --mask m.tif -o map.tif scene.tif templ.tif
    check "mask of $type" map.tif general scene.tif templ.tif ccoeff_normed valid clamp mask=spare.tif
done

picture m.tif spare.tif interior
run 0 correlate $cpu --mask m.tif -o map.tif scene.tif templ.tif
check 'a transparency mask' map.tif general scene.tif templ.tif ccoeff_normed valid clamp mask=spare.tif
run 1 find $cpu scene.tif m.tif
says 'm.tif: page 0: PhotometricInterpretation 4 (transparency mask) is not supported'
picture m.tif disc.tif white
picture inside.tif disc.tif hole=0,0,15,12,1
run 0 correlate $cpu --mask m.tif --method ccorr -o map.tif scene.tif templ.tif
if "$HELPERS/check_map" map.tif general scene.tif templ.tif ccorr valid clamp mask=disc.tif >/dev/null; then fail 'MinIsWhite: black counts'; fi
# A mask's own alpha or no-data value excludes pixels, too.
picture m.tif inside.tif nodata=0 hole=2,1,4,4,0
run 0 correlate $cpu --mask m.tif -o map.tif scene.tif templ.tif
check "the mask's own no-data value" map.tif general scene.tif templ.tif ccoeff_normed valid clamp mask=m.tif
picture m.tif inside.tif nodata=1
run 1 correlate $cpu --mask m.tif -o map.tif scene.tif templ.tif
says 'none of its pixels counts'
run 0 correlate $cpu --no-data none --mask m.tif -o map.tif scene.tif templ.tif
picture m.tif inside.tif alpha=2,1,4,4
run 0 correlate $cpu --mask m.tif -o map.tif scene.tif templ.tif
check "the mask's own alpha" map.tif general scene.tif templ.tif ccoeff_normed valid clamp mask=bm.tif

# Invalid masks.
run 1 find $cpu --mask disc.tif scene.tif scene.tif
says 'disc.tif: the mask has 15 x 12 pixels, but scene.tif has 60 x 50; give a mask of the same size'
run 1 correlate $cpu --image-mask disc.tif scene.tif templ.tif -o no.tif
says 'disc.tif: the mask has 15 x 12 pixels, but scene.tif has 60 x 50'
run 1 find $cpu --image-mask disc.tif scene.tif templ.tif
says 'disc.tif: the mask has 15 x 12 pixels, but scene.tif has 60 x 50'
run 1 find $cpu --mask missing.tif scene.tif templ.tif
says 'missing.tif: cannot open'
run 1 find $cpu --image-mask missing.tif scene.tif templ.tif
says 'missing.tif: cannot open'
picture none.tif templ.tif as=u8 hole=0,0,15,12,0
run 1 find $cpu --mask none.tif scene.tif templ.tif
says 'templ.tif: template: none of its pixels counts'
run 0 find $cpu --image-mask am.tif scene.tif templ.tif --min-valid 1 --min-score 0.99
picture empty.tif scene.tif as=u8 hole=0,0,60,50,0
run 0 find $cpu --image-mask empty.tif scene.tif templ.tif
prints 'no match'
run 2 correlate $cpu --mask disc.tif scene.tif templ.tif -o disc.tif
says '-o disc.tif: would overwrite an input'
run 2 correlate $cpu --image-mask holes.tif scene.tif templ.tif --coverage holes.tif -o no.tif
says '--coverage holes.tif: would overwrite an input'
run 2 correlate $cpu scene.tif templ.tif --coverage no.tif -o no.tif
says '--coverage no.tif: is also the name of the map'
run 2 correlate $cpu scene.tif templ.tif --coverage no.tif --heatmap no.tif -o map.tif
run 1 correlate $cpu scene.tif templ.tif --coverage missing/no.tif -o no.tif
says 'missing/no.tif: cannot write in its folder'
[ ! -e no.tif ] || fail 'a refused map was written'
finish
