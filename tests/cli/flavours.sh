# SPDX-License-Identifier: BSD-2-Clause
# The same picture gives the same match in every kind of TIFF.
. "${0%/*}/lib.sh"
"$HELPERS/test_flavours" "$work" >list 2>/dev/null || { cat list; fail 'some kinds are not read as they were written'; }
while read -r name kind; do
    run 0 find --device cpu --threads 1 --format csv "$name.tif" "$name.templ.tif"
    mv out whole
    run 0 find --device cpu --threads 3 --format csv "$name.tif" "$name.templ.tif"
    holds "$name: read before or while it is matched" cmp whole out
    run 0 find --device cpu --top 1 --format csv "$name.tif" "$name.templ.tif"
    sed -n 's/^[^,]*,0,[^,]*,//p' out >match
    if [ "$kind" = exact ]; then
        [ "$(cat match)" = 20,13,17,15,28,20,1 ] || fail "$name: $(cat match)"
    else
        holds "$name: $(cat match)" grep -qE '^20,13,17,15,28,20,(0\.99|1$)' match
    fi
done <list
[ "$checks" -ge 30 ] || fail 'too few kinds of TIFF were tested'
finish
