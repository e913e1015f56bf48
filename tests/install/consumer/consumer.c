#include <corrmatch/corrmatch.h>

#include <stdio.h>

int main(void)
{
    unsigned char scene[48 * 32] = { 0 }, part[4] = { 1, 2, 3, 250 };
    cm_context *cm = NULL;
    cm_template *sought = NULL;
    cm_match match;
    size_t found = 0;
    for (int i = 0; i < 4; i++)
        scene[(20 + i / 2) * 48 + 30 + i % 2] = part[i];
    cm_context_create(NULL, &cm);
    cm_template_create(cm, &(cm_image){ .data = part, .width = 2, .height = 2 }, &sought);
    cm_status status = cm_find(cm, &(cm_image){ .data = scene, .width = 48, .height = 32 }, sought, NULL, &match, 1, &found);
    printf("%s: %s, %d %d %g\n", cm_version(), cm_status_string(status), match.x, match.y, (double)match.score);
    cm_template_destroy(sought);
    cm_context_destroy(cm);
    return !(found == 1 && match.x == 30 && match.y == 20 && match.score == 1.0f);
}
