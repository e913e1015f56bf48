/* The files that this process has read, by device and inode, so that none of them is replaced by an
 * output, whatever its name has come to mean since it was checked. */
#ifndef APP_INPUTS_H
#define APP_INPUTS_H

struct stat;

/* Adds a regular file. Without memory nothing is added. */
void app_inputs_add(const struct stat *info);

/* 1 if the name leads to a file that was added. */
int app_inputs_has(const char *path);

#endif
