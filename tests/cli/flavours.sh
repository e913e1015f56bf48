# The same picture in every kind of TIFF gives the same match.
. "${0%/*}/lib.sh"
"$HELPERS/test_flavours" "$work" >list 2>/dev/null || { cat list; fail 'not every kind is read as it was written'; }
while read -r name kind; do
    run 0 find --device cpu --threads 1 --format csv "$name.tif" "$name.part.tif"
    mv out whole
    run 0 find --device cpu --threads 3 --format csv "$name.tif" "$name.part.tif"
    holds "$name: read before or while it is matched" cmp whole out
    run 0 find --device cpu --top 1 --format csv "$name.tif" "$name.part.tif"
    sed -n 's/^[^,]*,0,[^,]*,//p' out >match
    if [ "$kind" = exact ]; then
        [ "$(cat match)" = 20,13,17,15,1 ] || fail "$name: $(cat match)"
    else
        holds "$name: $(cat match)" grep -qE '^20,13,17,15,(0\.99|1$)' match
    fi
done <list
[ "$checks" -ge 30 ] || fail 'too few kinds'
finish
