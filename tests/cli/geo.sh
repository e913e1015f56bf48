# SPDX-License-Identifier: BSD-2-Clause
# Geo tags of outputs: those of the image, moved to the middle of the first window.
. "${0%/*}/lib.sh"
cp "$DATA"/*.tif .
cpu='--device cpu'
picture() { "$HELPERS/make_picture" "$@" || fail "make_picture $*"; }
tags() { # FILE: what it says is stdin
    "$HELPERS/print_tags" "$1" >out
    golden
}
keys() {
    printf '34735 1 1 0 2 1024 0 1 1 3072 0 1 32632\n34736 298.25\n34737 UTM zone 32N|\n'
}
picture a.tif cells.tif crop=100,40,50,40 geo nodata=-1
picture m.tif cells.tif crop=100,40,50,40 matrix
picture templ.tif cells.tif crop=120,55,13,8 geo nodata=-2

# A tie point at (3, 1); the middle of the first window is (6, 4).
run 0 correlate $cpu a.tif templ.tif -o map.tif
{ printf '33550 0.5 0.25 0\n33922 -3 -3 0 500000 5400000 0\n'; keys; } >want.txt
tags map.tif <want.txt
run 0 correlate $cpu --mode same --border mirror a.tif templ.tif -o map.tif --coverage cover.tif --heatmap heat.tif
{ printf '33550 0.5 0.25 0\n33922 3 1 0 500000 5400000 0\n'; keys; } >same
tags map.tif <same
tags cover.tif <same
tags heat.tif <same
run 0 correlate $cpu --mode full a.tif templ.tif -o map.tif
{ printf '33550 0.5 0.25 0\n33922 9 4 0 500000 5400000 0\n'; keys; } >want.txt
tags map.tif <want.txt
run 0 correlate $cpu --roi 10,20,30,15 a.tif templ.tif -o map.tif
{ printf '33550 0.5 0.25 0\n33922 -13 -23 0 500000 5400000 0\n'; keys; } >want.txt
tags map.tif <want.txt
# x = 0.5 i + 0.125 j + 1000, y = -0.25 i - 0.5 j + 2000 at (6, 4) and at (10 + 6, 20 + 4).
run 0 correlate $cpu m.tif templ.tif -o map.tif
{ printf '34264 0.5 0.125 0 1003.5 -0.25 -0.5 0 1996.5 0 0 0 0 0 0 0 1\n'; keys; } >want.txt
tags map.tif <want.txt
run 0 correlate $cpu --roi 10,20,30,15 m.tif templ.tif -o map.tif
{ printf '34264 0.5 0.125 0 1011 -0.25 -0.5 0 1984 0 0 0 0 0 0 0 1\n'; keys; } >want.txt
tags map.tif <want.txt
run 0 convolve $cpu --gradient x a.tif -o map.tif
tags map.tif <same
run 0 find $cpu --overlay over.tif --heatmap heat.tif --mode same --quiet a.tif templ.tif
tags over.tif <same
tags heat.tif <same
# The template's tags are not copied; without tags in the image there are none.
run 0 correlate $cpu cells-template.tif templ.tif -o map.tif
tags map.tif </dev/null

# Where matches are on the ground: map_x and map_y of the centre, or of the refined centre; the values are those of GDAL.
run 0 find $cpu --top 1 --format csv a.tif templ.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score,map_x,map_y
a.tif,0,templ.tif,20,15,13,8,26,18.5,1,500011.75,5399995.5
END
run 0 find $cpu --top 1 --format csv --roi 10,10,30,25 m.tif templ.tif
golden <<'END'
image,page,template,x,y,width,height,center_x,center_y,score,map_x,map_y
m.tif,0,templ.tif,20,15,13,8,26,18.5,1,1015.625,1983.875
END
run 0 find $cpu --top 1 --subpixel --format csv a.tif templ.tif
holds 'with --subpixel the refined centre' sh -c "sed 1d out | awk -F, '{ x = \$11 + 6 + 0.5; y = \$12 + 3.5 + 0.5; exit !((500000 + (x - 3) * 0.5 - \$14) ^ 2 < 1e-12 && (5400000 - (y - 1) * 0.25 - \$15) ^ 2 < 1e-12 && \$11 != \$4) }'"
run 0 find $cpu --top 1 --format json a.tif templ.tif
prints '"crs": "EPSG:32632"'
prints '"map_x": 500011.75, "map_y": 5399995.5'
run 0 find $cpu --top 1 --format json -t templ.tif cells.tif a.tif
prints '"map_x": 500011.75, "map_y": 5399995.5'
prints '"crs": null'
holds 'JSON names the coordinate system of each image' sh -c 'grep -q "\"image\": \"cells.tif\".*\"found\": 1, \"crs\": null" out && grep -q "\"image\": \"a.tif\".*\"found\": 1, \"crs\": \"EPSG:32632\"" out'
run 0 find $cpu --top 1 --format geojson -t templ.tif a.tif
golden <<'END'
{
  "type": "FeatureCollection",
  "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32632"}},
  "features": [
    {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[500008.5, 5399996.5], [500008.5, 5399994.5], [500015, 5399994.5], [500015, 5399996.5], [500008.5, 5399996.5]]]}, "properties": {"image": "a.tif", "page": 0, "template": "templ.tif", "x": 20, "y": 15, "width": 13, "height": 8, "center_x": 26, "center_y": 18.5, "score": 1, "map_x": 500011.75, "map_y": 5399995.5}}
  ]
}
END
cp out one.json
run 0 find $cpu --top 1 -o one.geojson -t templ.tif a.tif
holds '-o FILE.geojson' cmp one.json one.geojson
run 0 find $cpu --top 2 --min-distance 20 --min-score -inf --format geojson -t templ.tif a.tif m.tif
[ "$(grep -c '"type": "Feature",' out)" -eq 4 ] || fail 'GeoJSON: not four features'
if command -v python3 >/dev/null; then
    holds 'GeoJSON is JSON' python3 -c 'import json; d = json.load(open("out")); assert all(f["geometry"]["coordinates"][0][0] == f["geometry"]["coordinates"][0][-1] for f in d["features"])'
fi
run 1 find $cpu --format geojson cells.tif templ.tif
says 'cells.tif: page 0: has no geo tags that say where its pixels are'
run 2 find $cpu --count --format geojson a.tif templ.tif
says '--count: numbers have no place on the ground'

# If a map can contain NaN, its no-data tag is nan.
picture spare.tif templ.tif spare=30
for options in '--mask spare.tif' '--mode same --border overlap' '--flat nan'; do
    run 0 correlate $cpu $options m.tif templ.tif -o map.tif --coverage cover.tif
    "$HELPERS/print_tags" map.tif >out
    prints '42113 nan'
    "$HELPERS/print_tags" cover.tif >out
    holds 'coverage has no no-data tag' sh -c '! grep -q 42113 out'
done
run 0 correlate $cpu --mask spare.tif cells.tif templ.tif -o map.tif
"$HELPERS/print_tags" map.tif >out
prints '42113 nan'
# A map used as an image: its no-data tag applies.
run 0 correlate $cpu --mode same --border overlap --min-valid 1 a.tif templ.tif -o map.tif
run 0 find $cpu --format json map.tif map.tif --min-score -inf --top 1
prints '"score": 1'
finish
