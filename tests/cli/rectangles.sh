# SPDX-License-Identifier: BSD-2-Clause
# Templates that are rectangles of a file: FILE@X,Y,W,H.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'
picture() { "$HELPERS/make_picture" "$@" || fail "make_picture $*"; }

# The output has the name as typed.
run 0 find $cpu --kernel reference --top 2 board.tif -t board.tif@422,286,29,29 -t board-fiducial.tif
golden <<'END'
board.tif: 480 x 360 u8, ccoeff_normed, kernel reference on cpu
#  page  template                   x    y  width  height  center_x  center_y     score
1     0  board.tif@422,286,29,29  422  286     29      29     436.0     300.0  1.000000
2     0  board.tif@422,286,29,29  427   22     29      29     441.0      36.0  0.993269
3     0  board-fiducial.tif       422  286     29      29     436.0     300.0  0.996625
4     0  board-fiducial.tif       427   22     29      29     441.0      36.0  0.996370
END
run 0 find $cpu --top 1 --format csv --overlay over.tif board.tif ./board.tif@422,286,29,29
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score
board.tif,0,"./board.tif@422,286,29,29",422,286,29,29,436,300,1
END
holds 'the overlay' "$HELPERS/check_overlay" over.tif board.tif 422 286 29 29
run 0 find $cpu --top 1 --format json board.tif board.tif@422,286,29,29
prints '{"image": "board.tif", "page": 0, "template": "board.tif@422,286,29,29", "x": 422, "y": 286, "width": 29, "height": 29, "center_x": 436, "center_y": 300, "score": 1}'

# The same map as that of a file with these pixels. That file has the same name, so the maps are equal to the last byte.
picture scene.tif cells.tif crop=100,40,60,50
same() { # X,Y,W,H OPTIONS WORDS...: the words make a file of cells.tif; the rectangle is of that file
    rect=$1
    options=$2
    shift 2
    picture kind.tif cells.tif "$@"
    picture image.tif scene.tif $image_words
    run 0 correlate $cpu $options -o map.tif image.tif kind.tif@$rect
    picture kind.tif@$rect cells.tif crop=$rect $cut_words
    run 0 correlate $cpu $options -o again.tif image.tif kind.tif@$rect
    holds "a rectangle $rect of cells.tif $*" cmp map.tif again.tif
    rm kind.tif@$rect
}
image_words=
for rect in 0,0,15,12 120,55,15,12 3,16,9,16 40,31,8,2; do
    for type in u8 u16 f32 s16; do
        cut_words=as=$type
        same $rect '' as=$type
    done
done
image_words='bands=3 rgb'
for layout in '' planar; do
    cut_words="bands=3 rgb $layout"
    same 120,55,15,12 '' bands=3 rgb $layout
    same 120,55,15,12 '--channels sum' bands=3 rgb $layout
done
image_words=
cut_words='alpha=5,5,4,3'
same 120,55,15,12 '' alpha=125,60,4,3
cut_words='hole=2,1,6,5,7 nodata=7'
same 120,55,15,12 '' hole=122,56,6,5,7 nodata=7
cut_words='hole=2,1,6,5,7'
same 120,55,15,12 '--no-data 7' hole=122,56,6,5,7
picture spare.tif cells.tif crop=120,55,15,12 spare=30
cut_words=
same 120,55,15,12 '--mask spare.tif'
# Holes outside the rectangle do not make a masked template.
picture kind.tif cells.tif hole=0,0,50,20,7 nodata=7
run 0 find $cpu --format json scene.tif kind.tif@120,55,15,12
cp out plain
picture kind.tif@120,55,15,12 cells.tif crop=120,55,15,12
run 0 find $cpu --format json scene.tif kind.tif@120,55,15,12
holds 'holes elsewhere' cmp plain out
rm kind.tif@120,55,15,12

# An existing file of the whole name is read; the last @ divides other names.
cp board-fiducial.tif board.tif@0,0,5,5
run 0 find $cpu --top 1 --format csv board.tif board.tif@0,0,5,5
prints '422,286,29,29,436,300,0.996624589'
cp board.tif board@2.tif
run 0 find $cpu --top 1 --format csv board.tif board@2.tif@422,286,29,29
prints '"board@2.tif@422,286,29,29",422,286,29,29,436,300,1'
cp board-fiducial.tif templ@2x.tif
run 0 find $cpu --top 1 --format csv board.tif templ@2x.tif
prints ',templ@2x.tif,422,286,29,29,436,300,0.996624589'
for command in find 'correlate -o x.tif'; do
    for rect in '' 1 1,2,3 1,2,3,4,5 10,20,0,5 10,20,5,0 -1,2,3,4 1,-2,3,4 1,2,3,4x 1,2,,4 ' 1,2,3,4' 1.5,2,3,4 1,2,3,1073741825 1,2,3,11111111111111111111; do
        run 2 $command $cpu board.tif "board.tif@$rect"
        says "board.tif@$rect: the part after the last @ must be X,Y,W,H: whole numbers, X and Y from 0, W and H from 1"
    done
    for rect in 1,0,480,360 0,1,480,360 480,0,1,1 0,360,1,1 0,0,481,1 1073741824,0,1073741824,1; do
        run 1 $command $cpu board.tif board.tif@$rect
        says "board.tif@$rect: the rectangle exceeds the image (480 x 360 pixels); give one inside it"
    done
    for name in missing.tif@1,2,3,4 missing.tif@1 .@1,2,3,4; do
        run 1 $command $cpu board.tif $name
        says "$name: cannot open: No such file or directory"
    done
    run 1 $command $cpu board-fiducial.tif board.tif@0,0,30,29
    says 'board.tif@0,0,30,29: the template (30 x 29 pixels) exceeds board-fiducial.tif (29 x 29)'
    run 1 $command $cpu --mask spare.tif board.tif board.tif@0,0,30,29
    says 'spare.tif: the mask has 15 x 12 pixels, but board.tif@0,0,30,29 has 30 x 29'
    run 1 $command $cpu board.tif@0,0,90,90 board-fiducial.tif
    says 'board.tif@0,0,90,90: cannot open'
    run 2 $command $cpu --heatmap cells.tif board.tif cells.tif@0,0,5,5
    says '--heatmap cells.tif: would overwrite an input'
done
[ ! -e x.tif ] || fail 'a map was written for a refused rectangle'
finish
