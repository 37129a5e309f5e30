/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_LOG_H
#define HFISIM_LOG_H

#include "types.h"

struct hfi;

/**
 * enum log_level - how much to say
 * @LOG_ERROR: the peer broke a rule, or the system refused something
 * @LOG_NOTICE: rare events: connections, link states, resets (default)
 * @LOG_INFO: more about them: contexts and engines enabled, 8051 commands
 * @LOG_DEBUG: every packet and interrupt
 * @LOG_TRACE: every register access
 */
enum log_level {
	LOG_ERROR,
	LOG_NOTICE,
	LOG_INFO,
	LOG_DEBUG,
	LOG_TRACE,
};

/** log_level - messages above this level are not made at all */
extern enum log_level log_level;

/**
 * log_open() - choose where the log goes
 * @path: a file to make anew, or NULL for standard error
 *
 * Return: 0, or a negative errno of open(2).
 */
int log_open(const char *path);

/**
 * log_write() - write one line; use hfi_log() instead
 * @hfi: the HFI it is about, or NULL
 * @level: its level
 * @format: as for printf(3), without a newline
 */
__printf(3, 4)
void log_write(const struct hfi *hfi, enum log_level level,
	       const char *format, ...);

/* hfi_log() - log_write() that costs one compare when nobody listens */
#define hfi_log(hfi, level, ...)					\
	do {								\
		enum log_level _level = (level);			\
									\
		if (_level <= log_level)				\
			log_write(hfi, _level, __VA_ARGS__);		\
	} while (0)

/**
 * hfi_complain() - count and log a rule broken by the guest or by QEMU
 * @hfi: the HFI; its protocol_errors counter goes up by one
 * @format: as for printf(3), without a newline
 *
 * At most 20 lines a second and HFI are written; how many were left out
 * is said afterwards.
 */
__printf(2, 3)
void hfi_complain(struct hfi *hfi, const char *format, ...);

#endif
