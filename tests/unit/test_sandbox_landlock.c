// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of the table of Landlock's rights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <limits.h>

#include "landlock/rights.h"

/* From the kernel's header, by hand: the table under test has its own copy. */
#define EXECUTE	     0x1u
#define WRITE_FILE   0x2u
#define READ_FILE    0x4u
#define READ_DIR     0x8u
#define MAKE_CHAR    0x40u
#define MAKE_BLOCK   0x800u
#define REFER	     0x2000u
#define TRUNCATE     0x4000u
#define IOCTL_DEV    0x8000u
#define RESOLVE_UNIX 0x10000u

#define ABI_MAX 12

/* What the kernel's documentation says of each version. */
static const struct {
	int abi;
	uint64_t fs, net, scoped;
} known[] = {
	{ 0, 0, 0, 0 },		  { 1, 0x1fff, 0, 0 },	   { 2, 0x3fff, 0, 0 },
	{ 3, 0x7fff, 0, 0 },	  { 4, 0x7fff, 0x3, 0 },   { 5, 0xffff, 0x3, 0 },
	{ 6, 0xffff, 0x3, 0x3 },  { 7, 0xffff, 0x3, 0x3 }, { 8, 0xffff, 0x3, 0x3 },
	{ 9, 0x1ffff, 0x3, 0x3 },
};

static void test_versions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_int_equal(landlock_fs_rights(known[i].abi), known[i].fs);
		assert_int_equal(landlock_net_rights(known[i].abi), known[i].net);
		assert_int_equal(landlock_scopes(known[i].abi), known[i].scoped);
	}
	assert_int_equal(landlock_fs_rights(-1), 0);
	assert_int_equal(landlock_fs_rights(INT_MAX), landlock_fs_rights(9));
}

/* A later version never knows less, and never grants less. */
static void test_monotonic(void **state)
{
	(void)state;
	for (int abi = 0; abi < ABI_MAX; abi++) {
		assert_int_equal(landlock_fs_rights(abi) & ~landlock_fs_rights(abi + 1), 0);
		assert_int_equal(landlock_net_rights(abi) & ~landlock_net_rights(abi + 1), 0);
		assert_int_equal(landlock_scopes(abi) & ~landlock_scopes(abi + 1), 0);
		for (int access = ACCESS_NONE; access <= ACCESS_WRITE; access++) {
			for (int file = 0; file < 2; file++)
				assert_int_equal(landlock_access_rights((enum access)access, abi,
									file) &
							 ~landlock_access_rights((enum access)access,
										 abi + 1, file),
						 0);
		}
	}
}

/* The kernel refuses a rule with a right that the ruleset does not handle. */
static void test_within(void **state)
{
	(void)state;
	for (int abi = 0; abi <= ABI_MAX; abi++) {
		for (int access = ACCESS_NONE; access <= ACCESS_WRITE; access++) {
			uint64_t dir = landlock_access_rights((enum access)access, abi, 0);
			uint64_t file = landlock_access_rights((enum access)access, abi, 1);

			assert_int_equal(dir & ~landlock_fs_rights(abi), 0);
			assert_int_equal(file & ~dir, 0);
			/* EINVAL for anything else on what is no directory */
			assert_int_equal(file & ~(uint64_t)(EXECUTE | WRITE_FILE | READ_FILE |
							    TRUNCATE | IOCTL_DEV | RESOLVE_UNIX),
					 0);
		}
	}
}

static void test_levels(void **state)
{
	const uint64_t all = landlock_fs_rights(9);

	(void)state;
	assert_int_equal(landlock_access_rights(ACCESS_NONE, 9, 0), 0);
	assert_int_equal(landlock_access_rights(ACCESS_LIST, 9, 0), READ_DIR);
	assert_int_equal(landlock_access_rights(ACCESS_LIST, 9, 1), 0);
	assert_int_equal(landlock_access_rights(ACCESS_READ, 9, 0), EXECUTE | READ_FILE | READ_DIR);
	assert_int_equal(landlock_access_rights(ACCESS_READ, 9, 1), EXECUTE | READ_FILE);
	assert_int_equal(landlock_access_rights(ACCESS_PROC, 9, 0), READ_FILE | READ_DIR | WRITE_FILE);
	assert_int_equal(landlock_access_rights(ACCESS_DEVICE, 9, 1),
			 READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV);
	assert_int_equal(landlock_access_rights(ACCESS_DEVICE, 4, 1),
			 READ_FILE | WRITE_FILE | TRUNCATE);
	assert_int_equal(landlock_access_rights(ACCESS_WRITE, 9, 0),
			 all & ~(uint64_t)(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV | RESOLVE_UNIX));
	assert_int_equal(landlock_access_rights(ACCESS_WRITE, 1, 0),
			 0x1fff & ~(uint64_t)(MAKE_CHAR | MAKE_BLOCK));
	/* Only devices get ioctl, only writable trees may be renamed between, and no tree gets a host's socket. */
	for (int access = ACCESS_NONE; access <= ACCESS_WRITE; access++) {
		uint64_t rights = landlock_access_rights((enum access)access, INT_MAX, 0);

		assert_int_equal(!!(rights & IOCTL_DEV), access == ACCESS_DEVICE);
		assert_int_equal(!!(rights & REFER), access == ACCESS_WRITE);
		assert_int_equal(rights & (MAKE_CHAR | MAKE_BLOCK | RESOLVE_UNIX), 0);
		if (access >= ACCESS_LIST)
			assert_int_equal(rights & READ_DIR, READ_DIR);
	}
}

/* explain and doctor print the steps: in order, each adds something, and says what. */
static void test_steps(void **state)
{
	(void)state;
	assert_in_range(landlock_steps_n, 1, 20);
	for (unsigned i = 0; i < landlock_steps_n; i++) {
		if (i)
			assert_in_range(landlock_steps[i].abi, landlock_steps[i - 1].abi + 1, 99);
		assert_true(landlock_steps[i].fs || landlock_steps[i].net || landlock_steps[i].scoped);
		assert_int_equal(landlock_steps[i].fs & landlock_fs_rights(landlock_steps[i].abi - 1),
				 0);
		assert_true(strlen(landlock_steps[i].adds) > 3 &&
			    strlen(landlock_steps[i].without) > 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions), cmocka_unit_test(test_monotonic),
		cmocka_unit_test(test_within),	 cmocka_unit_test(test_levels),
		cmocka_unit_test(test_steps),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
