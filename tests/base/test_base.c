/* Files are written atomically, errors are one line, hashes are FNV-1a. */
#include "suite.h"
#include "lib/base/base.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/* However long the path is, the line says what is wrong with it. */
static void long_errors_keep_both_ends(void)
{
    char name[9000];
    plan_error_t err;
    for (size_t len = sizeof err.text - 8; len < 4200; len += len < 490 ? 1 : 97) {
        memset(name, 'x', len);
        name[0] = '/', name[len] = '\0';
        memset(&err, 0, sizeof err);
        plani_fail(&err, PLAN_EIO, "%s: no", name);
        size_t shown = strlen(err.text);
        CU_ASSERT_EQUAL(shown, len + 4 < sizeof err.text ? len + 4 : sizeof err.text - 1);
        CU_ASSERT_EQUAL(err.text[0], '/');
        CU_ASSERT_STRING_EQUAL(err.text + shown - 5, "x: no");
        CU_ASSERT((strstr(err.text, "xx ... xx") != NULL) == (len + 4 >= sizeof err.text));
    }
    memset(name, 'y', sizeof name - 1), name[sizeof name - 1] = '\0';
    plani_fail(&err, PLAN_EIO, "%s", name);
    CU_ASSERT_EQUAL(strlen(err.text), sizeof err.text - 1);
}

/* Published test vectors of FNV-1a, 64 bit. */
static void hash_is_fnv1a(void)
{
    CU_ASSERT_EQUAL(plani_hash_bytes(PLANI_HASH_START, "", 0), UINT64_C(0xcbf29ce484222325));
    CU_ASSERT_EQUAL(plani_hash_bytes(PLANI_HASH_START, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
    CU_ASSERT_EQUAL(plani_hash_bytes(PLANI_HASH_START, "foobar", 6), UINT64_C(0x85944171f73967e8));
}

/* strtod and strtoull take more: spaces, signs, hexadecimal, infinities. */
static void numbers_are_decimal(void)
{
    static const char *const no[] = {"",    " ",     " 1",  "1 ",  "0x10",  "0X1p3",    "inf",
                                     "nan", "1e",    "e1",  ".",   "-",     "+1",       "1,5",
                                     "1_0", "1e999", "--1", "1-1", "1.2.3", "infinity", "\xd9\xa1"};
    static const struct {
        const char *text;
        double is;
    } yes[] = {{"0", 0},       {"16", 16},     {"010", 10}, {".5", 0.5},
               {"-2.5", -2.5}, {"1e-3", 1e-3}, {"3.", 3},   {"1E+2", 100}};
    double x = 7;
    uint64_t n = 7;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        CU_ASSERT_FALSE(plani_read_real(no[i], &x));
        CU_ASSERT_FALSE(plani_read_whole(no[i], &n));
    }
    CU_ASSERT_EQUAL(x, 7);
    CU_ASSERT_EQUAL(n, 7);
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        CU_ASSERT_TRUE(plani_read_real(yes[i].text, &x));
        CU_ASSERT_EQUAL(x, yes[i].is);
    }
    CU_ASSERT_TRUE(plani_read_whole("18446744073709551615", &n));
    CU_ASSERT_EQUAL(n, UINT64_MAX);
    CU_ASSERT_FALSE(plani_read_whole("18446744073709551616", &n));
    CU_ASSERT_FALSE(plani_read_whole("-1", &n));
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
    text = NULL;
    CU_ASSERT_EQUAL(plani_read_file(path, 4, &text, &len, NULL), PLAN_EFORMAT);
    CU_ASSERT_PTR_NULL(text);
    CU_ASSERT_EQUAL(plani_read_file(path, 5, &text, &len, NULL), PLAN_OK); /* the limit itself is within */
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

/* How many entries the folder has beyond . and .. */
static int entries(const char *folder)
{
    int n = -2;
    DIR *at = opendir(folder);
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    while (readdir(at) != NULL) n++;
    closedir(at);
    return n;
}

static void links_are_followed_and_rights_kept_but_setuid(void)
{
    char folder[] = "test_base.XXXXXX", file[64], link[64];
    struct stat st;
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    mode_t mask = umask(027);
    CU_ASSERT_EQUAL(plani_write_file(file, "one", 3, NULL), PLAN_OK);
    umask(mask);
    CU_ASSERT_EQUAL_FATAL(stat(file, &st), 0);
    CU_ASSERT_EQUAL(st.st_mode & 0777, 0640);
    CU_ASSERT_EQUAL(chmod(file, 06604), 0);
    CU_ASSERT_EQUAL_FATAL(symlink("file", link), 0);
    CU_ASSERT_EQUAL(plani_write_file(link, "three", 5, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(lstat(link, &st), 0);
    CU_ASSERT(S_ISLNK(st.st_mode));
    CU_ASSERT_EQUAL_FATAL(stat(file, &st), 0);
    CU_ASSERT_EQUAL(st.st_size, 5);
    CU_ASSERT_EQUAL(st.st_mode & 07777, 0604); /* what was set for its owner is not for who replaces it */
    CU_ASSERT_EQUAL(entries(folder), 2);
    unlink(link), unlink(file), rmdir(folder);
}

static plan_status_t append(void *context, const char *old, size_t len, char **text, plan_error_t *err)
{
    (void)err;
    if ((*text = calloc(len + 2, 1)) == NULL) return PLAN_ENOMEM;
    if (old != NULL) memcpy(*text, old, len);
    (*text)[len] = *(const char *)context;
    return PLAN_OK;
}

static void a_link_to_nothing_is_refused(void)
{
    char folder[] = "test_base.XXXXXX", link[64], mine = 'a';
    plan_error_t err;
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(link, sizeof link, "%s/link", folder);
    CU_ASSERT_EQUAL_FATAL(symlink("nothing", link), 0);
    CU_ASSERT_EQUAL(plani_may_write(link, &err), PLAN_EIO);
    CU_ASSERT_EQUAL(plani_write_file(link, "one", 3, &err), PLAN_EIO);
    CU_ASSERT_EQUAL(plani_update_file(link, 1000, append, &mine, &err), PLAN_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "link: cannot be written: No such file or directory"));
    CU_ASSERT_EQUAL(entries(folder), 1);
    unlink(link), rmdir(folder);
}

static void asking_whether_a_file_may_be_written_changes_nothing(void)
{
    char folder[] = "test_base.XXXXXX", file[64];
    plan_error_t err;
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/file", folder);
    CU_ASSERT_EQUAL(plani_may_write(file, &err), PLAN_OK);
    CU_ASSERT_EQUAL(entries(folder), 0);
    CU_ASSERT_EQUAL(plani_may_write("/dev/null", &err), PLAN_OK);
    CU_ASSERT_EQUAL(plani_may_write(folder, &err), PLAN_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "Is a directory"));
    CU_ASSERT_EQUAL(plani_may_write("no-such-folder/x", &err), PLAN_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "no-such-folder/x"));
    rmdir(folder);
}

/* Several processes write the same file while it is read: what is read was written by one of them. */
static void writers_at_the_same_time_leave_one_whole_text(void)
{
    enum { WRITERS = 4, TIMES = 20, BYTES = 20000 };
    static char mine[BYTES];
    char folder[] = "test_base.XXXXXX", file[64], *text = NULL;
    size_t len;
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/file", folder);
    for (int w = 0; w < WRITERS; w++) {
        memset(mine, 'a' + w, BYTES);
        CU_ASSERT_EQUAL(plani_write_file(file, mine, BYTES, NULL), PLAN_OK);
        if (fork() != 0) continue;
        int failed = 0;
        for (int i = 0; i < TIMES; i++) failed |= plani_write_file(file, mine, BYTES, NULL) != PLAN_OK;
        _exit(failed);
    }
    for (int i = 0; i < 4 * TIMES; i++) {
        CU_ASSERT_EQUAL_FATAL(plani_read_file(file, 2 * BYTES, &text, &len, NULL), PLAN_OK);
        CU_ASSERT(len == BYTES && strspn(text, (char[]){text[0], '\0'}) == BYTES);
        free(text);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = 1;
        CU_ASSERT(wait(&status) > 0 && status == 0);
    }
    CU_ASSERT_EQUAL(entries(folder), 1);
    unlink(file), rmdir(folder);
}

/* Nothing that one of them adds gets lost, not even where the file is new. */
static void updates_at_the_same_time_follow_each_other(void)
{
    enum { WRITERS = 4, TIMES = 25 };
    char folder[] = "test_base.XXXXXX", file[64], *text = NULL;
    size_t len = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/file", folder);
    for (int w = 0; w < WRITERS; w++) {
        if (fork() != 0) continue;
        char mine = (char)('a' + w);
        int failed = 0;
        for (int i = 0; i < TIMES; i++) failed |= plani_update_file(file, 1000, append, &mine, NULL) != PLAN_OK;
        _exit(failed);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = 1;
        CU_ASSERT(wait(&status) > 0 && status == 0);
    }
    CU_ASSERT_EQUAL_FATAL(plani_read_file(file, 1000, &text, &len, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(len, WRITERS * TIMES);
    for (int w = 0; w < WRITERS; w++) {
        int n = 0;
        for (size_t i = 0; i < len; i++) n += text[i] == 'a' + w;
        CU_ASSERT_EQUAL(n, TIMES);
    }
    free(text);
    CU_ASSERT_EQUAL(entries(folder), 1);
    unlink(file), rmdir(folder);
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

/* The page at address 0 of this very process cannot be read, though its file can be opened. */
static void a_read_that_fails_is_no_empty_file(void)
{
    char *text = NULL;
    size_t len = 7;
    plan_error_t err;
    CU_ASSERT_EQUAL(plani_read_file("/proc/self/mem", 1000, &text, &len, &err), PLAN_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "/proc/self/mem: cannot be "));
    CU_ASSERT_PTR_NULL(text);
    CU_ASSERT_EQUAL(len, 7);
}

static void a_full_device_is_told(void)
{
    plan_error_t err = {.text = ""};
    CU_ASSERT_EQUAL(plani_write_file("/dev/full", "one", 3, &err), PLAN_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "/dev/full: cannot be written: No space left"));
    CU_ASSERT_EQUAL(plani_write_file("/dev/null", "one", 3, &err), PLAN_OK);
}

/* Also within a second, and it goes on. */
static void the_clock_never_goes_back(void)
{
    const double start = plani_now();
    double last = start, now = start;
    for (long i = 0; i < 100000000 && now < start + 2e-3; i++, last = now) {
        now = plani_now();
        if (now < last) break;
    }
    CU_ASSERT(now >= start + 2e-3);
}

static void every_status_has_its_text(void)
{
    for (int s = PLAN_EUNSUPPORTED; s <= PLAN_OK; s++)
        CU_ASSERT_STRING_NOT_EQUAL(plan_status_string((plan_status_t)s), "unknown status");
    CU_ASSERT_STRING_EQUAL(plan_status_string((plan_status_t)-1000), "unknown status");
}

SUITE_MAIN("base", TEST(errors_stay_one_line), TEST(long_errors_keep_both_ends), TEST(hash_is_fnv1a),
           TEST(numbers_are_decimal), TEST(what_is_written_is_read), TEST(a_failed_write_leaves_nothing),
           TEST(links_are_followed_and_rights_kept_but_setuid), TEST(a_link_to_nothing_is_refused),
           TEST(asking_whether_a_file_may_be_written_changes_nothing),
           TEST(writers_at_the_same_time_leave_one_whole_text), TEST(updates_at_the_same_time_follow_each_other),
           TEST(a_file_beyond_the_limit_is_refused), TEST(a_device_that_never_ends_is_not_read),
           TEST(a_read_that_fails_is_no_empty_file), TEST(a_full_device_is_told), TEST(the_clock_never_goes_back),
           TEST(every_status_has_its_text))
