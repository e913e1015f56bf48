/* The inner loops of `direct` over vectors: written once, for every instruction set that defines, before including this,
 *   vec                                       32-bit lanes
 *   VEC_LANES                                 how many
 *   vec_zero(), vec_load(address)             unaligned
 *   vec_bytes(sum, image, &dword)             sum + 4 products of u8 and s8 in each lane (not needed where DOT_BYTES is 0)
 *   vec_words(sum, image, &dword)             sum + 2 products of s16 in each lane
 *   vec_store4(out, sum[4]), vec_store2(out, sum[2])    4 or 2 phases into consecutive columns */
#ifndef CM_CPU_DOT_H
#define CM_CPU_DOT_H

#define DOT_INLINE __attribute__((always_inline)) static inline

/* One group of one template row: k counts planes and phases. */
DOT_INLINE void dot_group(vec *sum, vec image, const int32_t *t, int bytes, int count)
{
    _Pragma("GCC unroll 8") for (int k = 0; k < count; k++)
        sum[k] = bytes ? vec_bytes(sum[k], image, t + k) : vec_words(sum[k], image, t + k);
}

/* live map rows x one vector's columns. `live`, `bytes` and `count` (dwords a group) are constants where this is inlined. */
DOT_INLINE void dot_sums(const cm_dot *d, int32_t x, int bytes, int count, int live, vec (*sum)[4])
{
    const int32_t rows = d->rows, groups = d->groups;
    const ptrdiff_t step = (ptrdiff_t)groups * count;
    for (int32_t jj = 0; jj < rows + live - 1; jj++) {
        const char *image = (const char *)d->row[jj] + (ptrdiff_t)x * (bytes ? 1 : 2);
        const int32_t *table = d->table + jj * step; /* map row r meets template row jj - r */
        if (jj >= live - 1 && jj < rows) {
            for (int32_t g = 0; g < groups; g++) {
                vec pixels = vec_load(image + 4 * (ptrdiff_t)g);
                _Pragma("GCC unroll 8") for (int r = 0; r < live; r++)
                    dot_group(sum[r], pixels, table - r * step + (ptrdiff_t)g * count, bytes, count);
            }
            continue;
        }
        _Pragma("GCC unroll 8") for (int r = 0; r < live; r++) {
            if (jj - r < 0 || jj - r >= rows)
                continue;
            for (int32_t g = 0; g < groups; g++)
                dot_group(sum[r], vec_load(image + 4 * (ptrdiff_t)g), table - r * step + (ptrdiff_t)g * count, bytes, count);
        }
    }
}

DOT_INLINE void dot_tiles(const cm_dot *d, int bytes, int planes, int live)
{
    const int phases = bytes ? 4 : 2;
    for (int32_t x = 0; x < d->columns; x += VEC_LANES * phases) {
        vec sum[CM_MOST_ROWS][4];
        _Pragma("GCC unroll 8") for (int r = 0; r < live; r++)
            _Pragma("GCC unroll 8") for (int k = 0; k < planes * phases; k++)
                sum[r][k] = vec_zero();
        dot_sums(d, x, bytes, planes * phases, live, sum);
        _Pragma("GCC unroll 8") for (int r = 0; r < live; r++) {
            int32_t *out = d->out + r * planes * d->stride + x;
            if (bytes) {
                vec_store4(out, sum[r]);
            } else {
                vec_store2(out, sum[r]);
                if (planes == 2)
                    vec_store2(out + d->stride, sum[r] + 2);
            }
        }
    }
}

/* All the numbers of live rows up to `most`, each with its own loops. */
DOT_INLINE void dot_live(const cm_dot *d, int bytes, int planes, int most)
{
    switch (d->live < most ? d->live : most) {
    case 1:
        dot_tiles(d, bytes, planes, 1);
        return;
    case 2:
        dot_tiles(d, bytes, planes, 2);
        return;
    case 3:
        dot_tiles(d, bytes, planes, 3);
        return;
    case 4:
        dot_tiles(d, bytes, planes, most < 4 ? most : 4);
        return;
    case 5:
        dot_tiles(d, bytes, planes, most < 5 ? most : 5);
        return;
    default:
        dot_tiles(d, bytes, planes, most);
        return;
    }
}

#endif
