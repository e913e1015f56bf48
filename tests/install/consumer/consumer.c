/* A C program that uses the installed library: finds a 2 x 2 template that is in the image once. */
#include <exactncc/exactncc.h>

#include <stdio.h>

int main(void)
{
    unsigned char scene[48 * 32] = { 0 }, templ[4] = { 1, 2, 3, 250 };
    xncc_context *context = NULL;
    xncc_template *operand = NULL;
    xncc_match match;
    size_t found = 0;
    for (int i = 0; i < 4; i++)
        scene[(20 + i / 2) * 48 + 30 + i % 2] = templ[i];
    xncc_context_create(NULL, &context);
    xncc_template_create(context, &(xncc_image){ .data = templ, .width = 2, .height = 2 },
                         &operand);
    xncc_status status = xncc_find(context,
                                   &(xncc_image){ .data = scene, .width = 48, .height = 32 },
                                   operand, NULL, &match, 1, &found);
    printf("%s: %s, %d %d %g\n", xncc_version(), xncc_status_string(status), match.x, match.y,
           (double)match.score);
    xncc_template_destroy(operand);
    xncc_context_destroy(context);
    return !(found == 1 && match.x == 30 && match.y == 20 && match.score == 1.0f);
}
