# SPDX-License-Identifier: BSD-2-Clause
# find --report: the page is parsed and compared with the CSV of the same search. PYTHON3 is the interpreter.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'
if "$EXACTNCC" info --device cpu --format json | grep -q '"png": false'; then
    run 1 find $cpu --report report.html cells.tif cells-template.tif
    says 'built without libpng'
    finish
fi
check="$PYTHON3 ${0%/*}/check_report.py"

# report WORDS...: runs find with these words and a report, and again for the CSV; the rest of `options` goes to the checker.
options=
report() {
    run 0 find --quiet --report report.html "$@"
    run 0 find --format csv "$@"
    cp out matches.csv
    holds "the report of $*" $check report.html matches.csv $options -- find --quiet --report report.html "$@"
}
scene() { # NAME OUT: what a picture of it must show
    run 0 correlate $cpu --quiet --heatmap "$2" --plain --blend 0 -o map.tif "$1" "$1@0,0,2,2"
}
scene cells.tif want.tif
options='--scene cells.tif=want.tif'
report $cpu --top 18 cells.tif -t cells-template.tif -t board-fiducial.tif
report $cpu --top 3 --subpixel --merge iou:0.1 cells.tif -t cells-template.tif -t board-fiducial.tif
report $cpu --min-score 0.999999 cells.tif cells-template.tif
report $cpu --mode full --border overlap --min-valid 0.2 --method sqdiff_normed --top 9 cells.tif cells-template.tif
options='--scene cells.tif=want.tif --reduced 4'
report $cpu --report-side 100 --mode full --border overlap --min-valid 0.2 --top 5 cells.tif cells-template.tif
scene stars.tif want.tif
options='--scene stars.tif=want.tif'
report $cpu --top 5 stars.tif stars-cluster.tif
options='--scene stars.tif=want.tif --reduced 3'
report $cpu --report-side 107 --top 5 stars.tif stars-cluster.tif
options=
report $cpu --channels sum --mask buttons-mask.tif buttons.tif buttons-template.tif
"$HELPERS/make_pages" pages.tif cells.tif stars.tif cells.tif
report $cpu --page all --top 4 pages.tif cells-template.tif
# Several images, of which one cannot be read: the rest is there.
"$EXACTNCC" find $cpu --format csv -t cells-template.tif cells.tif missing.tif stars.tif >matches.csv 2>err
"$EXACTNCC" find $cpu -q --report report.html -t cells-template.tif cells.tif missing.tif stars.tif >out 2>err
[ $? -eq 1 ] || fail 'an image is missing: not status 1'
holds 'a report of several images' $check report.html matches.csv --scene stars.tif=want.tif --failed missing.tif \
    -- find $cpu -q --report report.html -t cells-template.tif cells.tif missing.tif stars.tif

# Names are text, whatever is in them.
hostile='<img src=x onerror=alert(1)>&lt;"'"'"'`</script><!-- ]]> .tif'
cp cells.tif "x$(printf '%s' "$hostile" | tr -d /)"
cp cells-template.tif "$(printf 't\tab\n<b>&amp; $(id) \\ \342\202\254.tif')"
run 0 find $cpu --quiet --report report.html --top 2 "x$(printf '%s' "$hostile" | tr -d /)" "$(printf 't\tab\n<b>&amp; $(id) \\ \342\202\254.tif')"
holds 'no element comes from a name' sh -c '! grep -q "<b>\|<img src=x\|</script><" report.html'
"$EXACTNCC" find $cpu --format csv --top 2 "x$(printf '%s' "$hostile" | tr -d /)" cells-template.tif >matches.csv
run 0 find $cpu --quiet --report report.html --top 2 "x$(printf '%s' "$hostile" | tr -d /)" cells-template.tif
holds 'a hostile name' $check report.html matches.csv -- find $cpu --quiet --report report.html --top 2 "x$(printf '%s' "$hostile" | tr -d /)" cells-template.tif
cp cells.tif "$(printf 'bad\377\300\257.tif')"
run 0 find $cpu --quiet --report report.html --top 1 "$(printf 'bad\377\300\257.tif')" cells-template.tif
holds 'a name that is not UTF-8' grep -q '<bdi>bad&#xfffd;&#xfffd;&#xfffd;.tif</bdi>' report.html

# A report is whole, or it is not there.
echo old >old.html
run 1 find $cpu --report old.html cells.tif missing.tif
[ "$(cat old.html)" = old ] || fail 'a failure has destroyed the old report'
(
    ulimit -f 16
    "$EXACTNCC" find $cpu --report old.html cells.tif cells-template.tif >out 2>err
)
[ $? -eq 1 ] || fail 'a full disk: not status 1'
says 'old.html: cannot write'
[ "$(cat old.html)" = old ] || fail 'a full disk has destroyed the old report'
ls | grep -q '\.tmp$' && fail "temporary files are left: $(ls)"
run 1 find $cpu --report missing/x.html cells.tif cells-template.tif
says 'missing/x.html'
run 2 find $cpu --report cells.tif cells.tif cells-template.tif
says '--report cells.tif: would overwrite an input'
run 2 find $cpu --report over.png --overlay over.png cells.tif cells-template.tif
says 'is also the name of another output'
for side in '' x 0 63 32769; do
    run 2 find $cpu --report-side "$side" --report x.html cells.tif cells-template.tif
    says "--report-side $side: must be a whole number 64 .. 32768"
done
finish
