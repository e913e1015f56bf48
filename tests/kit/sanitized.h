/* SPDX-License-Identifier: BSD-2-Clause */
/* KIT_SANITIZED: 1 where memory errors and undefined behaviour, or races, are what a test looks
 * for, and everything is many times slower. Tests may then have fewer cases that differ in values
 * alone. */
#ifndef KIT_SANITIZED_H
#define KIT_SANITIZED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KIT_SANITIZED 1
#endif
#endif
#if !defined(KIT_SANITIZED) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define KIT_SANITIZED 1
#endif
#ifndef KIT_SANITIZED
#define KIT_SANITIZED 0
#endif

#endif
