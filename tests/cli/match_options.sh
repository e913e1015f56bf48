# What find and correlate do with their matches and maps beyond the search itself.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'

# --subpixel: two more columns at the end, in every format; without it nothing changes.
run 0 find $cpu --kernel reference --subpixel --top 2 board.tif board-fiducial.tif
golden <<'END'
board.tif: 480 x 360 u8, ccoeff_normed, kernel reference on cpu
#  page  template              x    y  width  height     score  subpixel_x  subpixel_y
1     0  board-fiducial.tif  422  286     29      29  0.996625     421.997     285.998
2     0  board-fiducial.tif  427   22     29      29  0.996370     427.008      21.994
END
run 0 find $cpu --subpixel --top 2 --format csv cells.tif cells-template.tif
golden <<'END'
image,page,template,x,y,width,height,score,subpixel_x,subpixel_y
cells.tif,0,cells-template.tif,134,106,25,25,0.9908849,133.996613,105.991554
cells.tif,0,cells-template.tif,161,51,25,25,0.990697801,161.008672,51.0036772
END
cp out fine.csv
for kernel in reference direct fft; do
    run 0 find $cpu --kernel $kernel --subpixel --top 2 --format csv cells.tif cells-template.tif
    holds "kernel $kernel gives the same fractions" cmp fine.csv out
done
run 0 find $cpu --subpixel --top 1 --format json stars.tif stars-cluster.tif
prints '"score": 0.992652178, "subpixel_x": 235.9'
run 0 find $cpu --top 2 --format json stars.tif stars-cluster.tif
holds 'no such fields unless asked' sh -c '! grep -q subpixel out'
# At the edge of the map there is nothing to fit along x and y; mode same goes on beyond the image.
run 0 find $cpu --subpixel --top 1 --format csv board-fiducial.tif board-fiducial.tif
prints ',0,0,29,29,1,0,0'
run 0 find $cpu --subpixel --mode same --top 1 --format csv stars-cluster.tif stars-cluster.tif
holds 'mode same fits beyond the image' sh -c "sed 1d out | awk -F, '{ exit !(\$4 == 0 && \$5 == 0 && \$9 != 0 && \$10 != 0 && \$9 * \$9 < 0.25) }'"
run 0 find $cpu --subpixel --method sqdiff --top 1 --format csv board.tif board-fiducial.tif
holds 'sqdiff: the lowest point' sh -c "sed 1d out | awk -F, '{ exit !(\$9 - \$4 < 0.5 && \$4 - \$9 < 0.5 && \$9 != \$4) }'"
finish
