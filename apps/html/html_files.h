/* SPDX-License-Identifier: BSD-2-Clause */
/* The style and the script of reports: the files in report/, which the build embeds. */
#ifndef APP_HTML_FILES_H
#define APP_HTML_FILES_H

extern const char app_html_style[], app_html_script[];

/* Their SHA-256 digests, 32 bytes each. */
extern const unsigned char app_html_style_digest[], app_html_script_digest[];

#endif
