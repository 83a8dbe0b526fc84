/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are ours while the program runs and must not outlive it: for the exits that a signal
 * forces while a driver does not return. The usual clean-up is done where the files are made.
 */
#pragma once

/* Remembers a path. What does not fit is left to the usual clean-up. */
void leftovers_add(const char *path);

/* Unlinks what is remembered and still there. Safe in a signal handler, and more than once. */
void leftovers_remove(void);
