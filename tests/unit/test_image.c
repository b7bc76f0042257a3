// SPDX-License-Identifier: GPL-2.0-or-later
/* Unit tests of images as the root: records, signals, and what a stack of layers shows at a path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "sandbox/image.h"
#include "sandbox/imagetree.h"

#define HEX  "0000000000000000000000000000000000000000000000000000000000000001"
#define HEAD "jail-image 1\nreference x.test/a:1\nmanifest sha256:" HEX "\nlayer sha256:" HEX "\n"

static struct arena arena;
static char top[64];

static int begin(void **state)
{
	struct err e = { 0 };

	(void)state;
	return arena_init(&arena, &e);
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static int parse(const char *text, struct image_config *r)
{
	struct err e = { 0 };
	int rc = image_record_parse(&arena, arena_strdup(&arena, text), strlen(text), r, &e);

	assert_int_equal(rc < 0, e.stage == ST_IMAGE);
	return rc;
}

static void test_record(void **state)
{
	struct image_config r = { 0 };

	(void)state;
	assert_int_equal(parse(HEAD "end\n", &r), 0);
	assert_string_equal(r.reference, "x.test/a:1");
	assert_string_equal(r.layers[0], "sha256:" HEX);
	assert_null(r.layers[1]);
	assert_null(r.env[0]);
	assert_null(r.workdir);
	assert_int_equal(parse(HEAD "env A=%0A%25\ncmd \ncmd a  b\nentrypoint c\nworkdir /w\n"
				    "user u\nstop-signal 9\nend\n",
			       &r),
			 0);
	assert_string_equal(r.env[0], "A=\n%");
	assert_string_equal(r.cmd[0], "");
	assert_string_equal(r.cmd[1], "a  b");
	assert_null(r.cmd[2]);
	assert_string_equal(r.entrypoint[0], "c");
	assert_string_equal(r.workdir, "/w");
	assert_string_equal(r.user, "u");
	assert_string_equal(r.stop_signal, "9");
}

static void test_bad_records(void **state)
{
	static const char *const bad[] = {
		"",
		"\n",
		"end\n",
		"jail-image 2\nend\n",
		"jail-image 1\nend\n",
		HEAD,
		HEAD "end",
		HEAD "end\nend\n",
		HEAD "end\nx",
		HEAD "\nend\n",
		HEAD "env\nend\n",
		HEAD "env A\nend\n",
		HEAD "env =A\nend\n",
		HEAD "env A=%00\nend\n",
		HEAD "env A=%0a\nend\n",
		HEAD "env A=%1\nend\n",
		HEAD "env A=\t\nend\n",
		HEAD "workdir x\nend\n",
		HEAD "user \nend\n",
		HEAD "user a\nuser b\nend\n",
		HEAD "volume /proc\nend\n",
		HEAD "layer sha256:../../x\nend\n",
		HEAD "layer sha256:" HEX "0\nend\n",
	};
	struct image_config r = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_true(parse(bad[i], &r) < 0);
		assert_null(r.reference);
	}
}

/* More than there is room for: refused, not cut off. */
static void test_long_records(void **state)
{
	const size_t size = 128 << 10;
	struct image_config r = { 0 };
	own_str text = malloc(size);
	struct text t;

	(void)state;
	assert_non_null(text);
	for (size_t n = IMAGE_LAYERS_MAX - 1; n <= IMAGE_LAYERS_MAX; n++) {
		text_init(&t, text, size);
		text_add(&t, HEAD);
		for (size_t i = 0; i < n; i++)
			text_add(&t, "layer sha256:" HEX "\n");
		text_add(&t, "end\n");
		assert_false(t.full);
		assert_int_equal(parse(text, &r) < 0, n == IMAGE_LAYERS_MAX);
	}
	text_init(&t, text, size);
	text_add(&t, HEAD);
	for (size_t i = 0; i <= IMAGE_WORDS_MAX; i++)
		text_add(&t, "env A=1\n");
	text_add(&t, "end\n");
	assert_true(parse(text, &r) < 0);
}

static void test_signals(void **state)
{
	(void)state;
	assert_int_equal(image_signal("SIGTERM"), SIGTERM);
	assert_int_equal(image_signal("QUIT"), SIGQUIT);
	assert_int_equal(image_signal("9"), SIGKILL);
	assert_int_equal(image_signal("SIGRTMIN+3"), SIGRTMIN + 3);
	assert_int_equal(image_signal("SIGRTMIN+31"), 0);
	assert_int_equal(image_signal("65"), 0);
	assert_int_equal(image_signal("-1"), 0);
	assert_int_equal(image_signal("SIG"), 0);
	assert_int_equal(image_signal("term"), 0);
}

/* ---- trees: 2 lies above 1, which lies above 0 */

static const char *at(int layer, const char *path)
{
	static char buf[4][PATH_MAX];
	static unsigned next;
	char *p = buf[next++ % 4];

	(void)snprintf(p, PATH_MAX, "%s/%d%s", top, layer, path);
	return p;
}

static void make_file(int layer, const char *path, const char *text)
{
	own_fd fd = open(at(layer, path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(fs_write_all(fd, text, strlen(text)), 0);
}

static int make_layers(void **state)
{
	(void)state;
	memcpy(top, "/tmp/jail-image.XXXXXX", sizeof("/tmp/jail-image.XXXXXX"));
	if (!mkdtemp(top))
		return -1;
	for (int i = 0; i < 3; i++) {
		if (mkdir(at(i, ""), 0755) < 0 || mkdir(at(i, "/etc"), 0755) < 0)
			return -1;
	}
	return begin(state);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int remove_layers(void **state)
{
	(void)end(state);
	return nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static struct image image(void)
{
	static struct image_layer layers[3];

	for (int i = 0; i < 3; i++) {
		layers[i].fd = open(at(2 - i, ""), O_PATH | O_DIRECTORY | O_CLOEXEC);
		assert_true(layers[i].fd >= 0);
	}
	return (struct image){ .layers = layers, .layers_n = 3 };
}

static void close_layers(struct image *i)
{
	for (size_t k = 0; k < i->layers_n; k++)
		fd_release(&i->layers[k].fd);
}

static void test_layers(void **state)
{
	struct image i = image();

	(void)state;
	make_file(0, "/etc/a", "0");
	make_file(0, "/etc/b", "0");
	make_file(0, "/etc/c", "0");
	make_file(1, "/etc/b", "1");
	make_file(2, "/etc/d", "2");
	assert_int_equal(mknod(at(1, "/etc/c"), S_IFCHR | 0600, makedev(0, 0)), 0);
	assert_string_equal(image_read(&arena, &i, "/etc/a", 99), "0");
	assert_string_equal(image_read(&arena, &i, "/etc/b", 99), "1");
	assert_null(image_read(&arena, &i, "/etc/c", 99));
	assert_string_equal(image_read(&arena, &i, "/etc/d", 99), "2");
	assert_null(image_read(&arena, &i, "/etc", 99));
	assert_null(image_read(&arena, &i, "/etc/none", 99));
	make_file(1, "/etc/long", "12345");
	assert_null(image_read(&arena, &i, "/etc/long", 4));
	assert_string_equal(image_read(&arena, &i, "/etc/long", 5), "12345");
	if (setxattr(at(1, "/etc"), "user.overlay.opaque", "y", 1, 0) == 0) {
		assert_null(image_read(&arena, &i, "/etc/a", 99));
		assert_string_equal(image_read(&arena, &i, "/etc/b", 99), "1");
		assert_string_equal(image_read(&arena, &i, "/etc/d", 99), "2");
	}
	close_layers(&i);
}

/* A file where a directory is below hides it, and a whiteout of a directory all that is in it. */
static void test_hidden(void **state)
{
	struct image i = image();

	(void)state;
	assert_int_equal(mkdir(at(0, "/d"), 0755), 0);
	assert_int_equal(mkdir(at(0, "/e"), 0755), 0);
	make_file(0, "/d/x", "0");
	make_file(0, "/e/x", "0");
	assert_string_equal(image_read(&arena, &i, "/d/x", 9), "0");
	make_file(1, "/d", "file");
	assert_int_equal(mknod(at(2, "/e"), S_IFCHR | 0600, makedev(0, 0)), 0);
	assert_null(image_read(&arena, &i, "/d/x", 9));
	assert_null(image_read(&arena, &i, "/e/x", 9));
	assert_int_equal(unlink(at(1, "/d")), 0);
	assert_int_equal(unlink(at(2, "/e")), 0);
	close_layers(&i);
}

static void leads(const struct image *i, const char *path, const char *to, bool there)
{
	struct image_place p = { .fd = FD_NONE };

	assert_int_equal(image_resolve(&arena, i, path, &p), 0);
	assert_string_equal(p.path, to);
	assert_int_equal(p.fd >= 0, there);
	fd_release(&p.fd);
}

static void test_links(void **state)
{
	struct image_place p;
	struct image i = image();

	(void)state;
	assert_int_equal(mkdir(at(0, "/usr"), 0755), 0);
	assert_int_equal(mkdir(at(1, "/usr"), 0755), 0);
	assert_int_equal(mkdir(at(1, "/usr/lib"), 0755), 0);
	assert_int_equal(symlink("usr/lib", at(0, "/lib")), 0);
	assert_int_equal(symlink("/../../../lib/../..", at(2, "/out")), 0);
	assert_int_equal(symlink("loop", at(2, "/loop")), 0);
	assert_int_equal(symlink("/proc/self/root", at(2, "/magic")), 0);
	leads(&i, "/", "/", true);
	leads(&i, "/lib", "/usr/lib", true);
	leads(&i, "//lib/./x//y/", "/usr/lib/x/y", false);
	leads(&i, "/lib/../../..", "/", true);
	leads(&i, "/out", "/", true);
	leads(&i, "/out/lib", "/usr/lib", true);
	leads(&i, "/magic/etc", "/proc/self/root/etc", false);
	assert_int_equal(image_resolve(&arena, &i, "/loop", &p), -ELOOP);
	assert_int_equal(image_resolve(&arena, &i, "/none/../x", &p), -ENOENT);
	make_file(0, "/usr/file", "x");
	assert_int_equal(image_resolve(&arena, &i, "/usr/file/x", &p), -ENOTDIR);
	close_layers(&i);
}

static void test_users(void **state)
{
	struct image i = image();
	const char *text;

	(void)state;
	make_file(2, "/etc/passwd",
		  "root:x:0:0::/root:/bin/sh\nweb:x:33:33::/:/x\nme:x:7:7::/:/x\nseven:x:1000:7::/:/x\n"
		  "short:x:1\n:x:5:5::/:/x\nword:x:abc:5::/:/x\n+nis:x:9:9::/:/x\nlast:x:8:8::/:/x");
	text = image_passwd(&arena, &i, "me:x:1000:1000:me:/home/me:/bin/sh\n");
	assert_string_equal(text, "me:x:1000:1000:me:/home/me:/bin/sh\nroot:x:0:0::/root:/bin/sh\n"
				  "web:x:33:33::/:/x\nlast:x:8:8::/:/x\n");
	assert_string_equal(image_find_user(&arena, &i, "web:group"), "uid 33 of its passwd");
	assert_string_equal(image_find_user(&arena, &i, "12"), "uid 12");
	assert_null(image_find_user(&arena, &i, "we"));
	assert_string_equal(image_group(&arena, &i, "me:x:1:\n"), "me:x:1:\n");
	close_layers(&i);
}

int main(void)
{
	const struct CMUnitTest records[] = {
		cmocka_unit_test_setup_teardown(test_record, begin, end),
		cmocka_unit_test_setup_teardown(test_bad_records, begin, end),
		cmocka_unit_test_setup_teardown(test_long_records, begin, end),
		cmocka_unit_test_setup_teardown(test_signals, begin, end),
		cmocka_unit_test_setup_teardown(test_layers, make_layers, remove_layers),
		cmocka_unit_test_setup_teardown(test_hidden, make_layers, remove_layers),
		cmocka_unit_test_setup_teardown(test_links, make_layers, remove_layers),
		cmocka_unit_test_setup_teardown(test_users, make_layers, remove_layers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(records, NULL, NULL);
}
