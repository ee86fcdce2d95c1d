/* Files are never half written, errors stay one line, hashes are FNV-1a. */
#include "suite.h"
#include "lib/base/base.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void errors_stay_one_line(void)
{
    plan_error_t err;
    CU_ASSERT_EQUAL(plani_fail(&err, PLAN_EIO, "%s: no", "a\nb\tc"), PLAN_EIO);
    CU_ASSERT_STRING_EQUAL(err.text, "a?b?c: no");
    CU_ASSERT_EQUAL(plani_fail(NULL, PLAN_EINVAL, "x"), PLAN_EINVAL);
    plani_clear(&err);
    CU_ASSERT_EQUAL(err.status, PLAN_OK);
    CU_ASSERT_STRING_EQUAL(err.text, "");
}

/* Published test vectors of FNV-1a, 64 bit. */
static void hash_is_fnv1a(void)
{
    CU_ASSERT_EQUAL(plani_hash_bytes(PLANI_HASH_START, "", 0), UINT64_C(0xcbf29ce484222325));
    CU_ASSERT_EQUAL(plani_hash_bytes(PLANI_HASH_START, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
    CU_ASSERT_EQUAL(plani_hash_bytes(PLANI_HASH_START, "foobar", 6), UINT64_C(0x85944171f73967e8));
}

static void what_is_written_is_read(void)
{
    char path[] = "test_base.XXXXXX";
    int fd = mkstemp(path);
    CU_ASSERT_FATAL(fd >= 0);
    close(fd);
    char *text = NULL;
    size_t len = 0;
    CU_ASSERT_EQUAL(plani_write_file(path, "one", 3, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plani_write_file(path, "two\0!", 5, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_read_file(path, 100, &text, &len, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(len, 5);
    CU_ASSERT_EQUAL(memcmp(text, "two\0!", 6), 0);
    free(text);
    unlink(path);
}

static void a_failed_write_leaves_nothing(void)
{
    plan_error_t err;
    CU_ASSERT_EQUAL(plani_write_file("no-such-folder/x", "one", 3, &err), PLAN_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "no-such-folder/x"));
    CU_ASSERT_NOT_EQUAL(access("no-such-folder", F_OK), 0);
}

static void a_file_beyond_the_limit_is_refused(void)
{
    char *text = NULL;
    size_t len = 0;
    plan_error_t err;
    CU_ASSERT_EQUAL(plani_read_file("/proc/self/maps", 10, &text, &len, &err), PLAN_EFORMAT);
    CU_ASSERT_EQUAL(plani_read_file("/", 1000, &text, &len, &err), PLAN_EIO);
    CU_ASSERT_EQUAL(plani_read_file("no-such-file", 1000, &text, &len, &err), PLAN_EIO);
    CU_ASSERT_PTR_NULL(text);
}

/* It was read up to the limit, which took a minute. */
static void a_device_that_never_ends_is_not_read(void)
{
    char *text = NULL;
    size_t len = 0;
    plan_error_t err;
    CU_ASSERT_EQUAL(plani_read_file("/dev/zero", (size_t)1 << 40, &text, &len, &err), PLAN_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "/dev/zero: is a device"));
    CU_ASSERT_PTR_NULL(text);
}

static void every_status_has_its_text(void)
{
    for (int s = PLAN_EUNSUPPORTED; s <= PLAN_OK; s++)
        CU_ASSERT_STRING_NOT_EQUAL(plan_status_string((plan_status_t)s), "unknown status");
    CU_ASSERT_STRING_EQUAL(plan_status_string((plan_status_t)-1000), "unknown status");
}

SUITE_MAIN("base", TEST(errors_stay_one_line), TEST(hash_is_fnv1a), TEST(what_is_written_is_read),
           TEST(a_failed_write_leaves_nothing), TEST(a_file_beyond_the_limit_is_refused),
           TEST(a_device_that_never_ends_is_not_read), TEST(every_status_has_its_text))
