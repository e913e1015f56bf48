# SPDX-License-Identifier: BSD-2-Clause
# Warnings of find, and the exit status of a search that finds nothing.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'

warns() { # TEXT ARGUMENTS...: status 0, and stderr is exactly the warning; nothing if TEXT is empty. --quiet prints none.
    text=${1:+exactncc: warning: $1}
    shift
    run 0 "$@"
    checks=$((checks + 1))
    [ "$(cat err)" = "$text" ] || { fail "stderr is not '$text', but:"; cat err; }
    cp out loud
    run 0 "$@" -q --format csv
    holds '--quiet leaves no warning' [ ! -s err ]
}

# --top cut a list that has a limit.
warns 'cells.tif: cells-template.tif: 10 of 18 matches shown; raise --top to see more' find $cpu --min-score 0.8 cells.tif cells-template.tif
warns 'cells.tif: cells-template.tif: 17 of 18 matches shown; raise --top to see more' find $cpu --min-score 0.8 --top 17 cells.tif cells-template.tif
warns '' find $cpu --min-score 0.8 --top 18 cells.tif cells-template.tif
[ "$(wc -l <out)" -eq 19 ] || fail 'not all 18 matches'
warns '' find $cpu --min-score 0.8 --top 19 cells.tif cells-template.tif
warns 'board.tif: board-fiducial.tif: 1 of at least 101 matches shown; raise --top to see more' find $cpu --min-score 0 --top 1 board.tif board-fiducial.tif
warns 'cells.tif: cells-template.tif: 20 of 23 matches shown; raise --top to see more' \
    find $cpu --method sqdiff_normed --max-score 0.04 --top 20 cells.tif cells-template.tif
run 0 find $cpu --min-score 0.8 --top 12 -t cells-template.tif -t board-fiducial.tif cells.tif
[ "$(cat err)" = 'exactncc: warning: cells.tif: cells-template.tif: 12 of 18 matches shown; raise --top to see more' ] ||
    { fail 'several templates: not a warning for the one whose list is cut'; cat err; }
# The matches are those of a search that counts nothing.
for template in cells-template.tif board-fiducial.tif; do
    run 0 find $cpu --min-score 0.5 --top 7 --subpixel --format csv cells.tif $template
    cp out counted
    run 0 find $cpu --min-score 0.5 --top 7 --subpixel --format csv --quiet cells.tif $template
    holds 'counting changes no match' cmp counted out
done
run 0 find $cpu --min-score 0.5 --top 7 --format csv -t cells-template.tif -t board-fiducial.tif cells.tif
cp out counted
run 0 find $cpu --min-score 0.5 --top 7 --format csv --quiet -t cells-template.tif -t board-fiducial.tif cells.tif
holds 'counting changes no match of several templates' cmp counted out
# Without a limit: the last match is still better than chance explains, and nobody has chosen --top.
warns 'cells.tif: cells-template.tif: all 10 matches shown are better than chance explains, so there may be more; raise --top, or give --min-score' \
    find $cpu cells.tif cells-template.tif
warns '' find $cpu --top 10 cells.tif cells-template.tif
warns '' find $cpu board.tif board-fiducial.tif
warns '' find $cpu --min-score -inf --top 3 cells.tif cells-template.tif

# A flat template.
"$HELPERS/make_pages" --crop 0,0,3,3 flat.tif board-fiducial.tif
for pixel in u8 u16 f32; do
    "$HELPERS/make_pages" --as $pixel flat-$pixel.tif flat.tif
    warns "flat-$pixel.tif: the template is flat, so every score is 0; choose a template with contrast" find $cpu --top 1 board.tif flat-$pixel.tif
done
warns 'flat.tif: the template is flat, so every score is 0; choose a template with contrast' find $cpu --method ccoeff --top 1 board.tif flat.tif
warns 'flat.tif: the template is flat, so no window has a score; choose a template with contrast' find $cpu --flat nan board.tif flat.tif
warns '' find $cpu --method sqdiff --top 1 board.tif flat.tif
# Once per template, however many pages there are.
"$HELPERS/make_pages" pages.tif board.tif cells.tif stars.tif
warns 'flat.tif: the template is flat, so every score is 0; choose a template with contrast' find $cpu --page all --top 1 pages.tif flat.tif

# A best score that chance explains, if no limit was given.
warns 'board.tif: cells-template.tif: the best score, 0.599, can be chance: an image without the template reaches up to 0.925; look at it, and give --min-score' \
    find $cpu --top 1 board.tif cells-template.tif
warns '' find $cpu --min-score 0.5 --top 100 board.tif cells-template.tif
warns '' find $cpu --min-score -inf --top 1 board.tif cells-template.tif
warns '' find $cpu --method ccorr_normed --top 1 board.tif cells-template.tif
warns '' find $cpu --top 1 board.tif board-fiducial.tif
warns '' find $cpu --top 1 board-fiducial.tif board-fiducial.tif
# Many warnings: the first five, and how many more.
cp board.tif a.tif
cp board.tif b.tif
cp board.tif c.tif
run 0 find $cpu --top 1 -t cells-template.tif board.tif a.tif b.tif c.tif board.tif a.tif b.tif
[ "$(wc -l <err)" -eq 6 ] || { fail 'not five warnings and a sum'; cat err; }
says 'exactncc: warning: the best score of 2 more searches can be chance'

# The exit status of nothing found.
run 0 find $cpu --min-score 1 board.tif board-fiducial.tif
prints 'no match'
for format in table csv json; do
    "$EXACTNCC" find $cpu --min-score 1 --fail-if-none --format $format board.tif board-fiducial.tif >out 2>err
    [ $? -eq 3 ] || fail "--fail-if-none: not status 3 with --format $format"
    holds '--fail-if-none prints no error' [ ! -s err ]
    holds '--fail-if-none prints the empty result' [ -s out ]
done
run 0 find $cpu --min-score 0.9 --fail-if-none board.tif board-fiducial.tif
# One template that is found on one image is enough. A failure comes first: of the work, or of the output.
run 0 find $cpu --min-score 0.9 --fail-if-none -t board-fiducial.tif cells.tif board.tif stars.tif
"$EXACTNCC" find $cpu --min-score 0.999 --fail-if-none -t board-fiducial.tif cells.tif board.tif stars.tif >out 2>err
[ $? -eq 3 ] || fail '--fail-if-none: not status 3 for several images'
"$EXACTNCC" find $cpu --min-score 0.999 --fail-if-none -t board-fiducial.tif cells.tif missing.tif stars.tif >out 2>err
[ $? -eq 1 ] || fail 'an image that fails is not status 1, although nothing was found'
run 0 find $cpu --min-score 0.9 --fail-if-none -t cells-template.tif -t board-fiducial.tif board.tif
run 1 find $cpu --min-score 1 --fail-if-none missing.tif board-fiducial.tif
run 2 find $cpu --min-score 1 --fail-if-none --top 0 board.tif board-fiducial.tif
if [ -w /dev/full ]; then
    "$EXACTNCC" find $cpu --min-score 1 --fail-if-none board.tif board-fiducial.tif >/dev/full 2>err
    [ $? -eq 1 ] || fail 'a failure of the output is not status 1'
fi
finish
