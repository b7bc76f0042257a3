// SPDX-License-Identifier: GPL-2.0-or-later
/* The time in an event; every process. */
#include "base/now.h"

#include <stdint.h>
#include <time.h>

#include "base/text.h"

/* Days since 1970 as a date of the Gregorian calendar: years begin in March, leap days end them. */
static void add_date(struct text *t, int64_t days)
{
	const int64_t z = days + 719468, era = z / 146097, doe = z - era * 146097;
	const int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	const int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
	const int64_t d = doy - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9;

	text_addf(t, "%04d-%02d-%02d", (int)(yoe + era * 400 + (m <= 2)), (int)m, (int)d);
}

void now_format(char ret[NOW_SIZE])
{
	struct timespec now = { 0 };
	struct text t;
	int s;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	s = (int)(now.tv_sec % 86400);
	text_init(&t, ret, NOW_SIZE);
	add_date(&t, now.tv_sec / 86400);
	text_addf(&t, "T%02d:%02d:%02d.%03dZ", s / 3600, s / 60 % 60, s % 60,
		  (int)(now.tv_nsec / 1000000));
}
