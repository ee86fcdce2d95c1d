#include "lib/base/base.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

plan_status_t plani_read_file(const char *path, size_t limit, char **text, size_t *len, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    char *buf = NULL;
    size_t used = 0, room = 0;
    struct stat st;
    FILE *f = fopen(path, "rb");

    if (f == NULL) {
        rc = plani_fail(err, PLAN_EIO, "%s: cannot be opened: %s", path, strerror(errno));
        goto done;
    }
    if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
        rc = plani_fail(err, PLAN_EIO, "%s: is a directory; name a file", path);
        goto done;
    }
    if (fstat(fileno(f), &st) == 0 && S_ISCHR(st.st_mode) && !isatty(fileno(f))) { /* /dev/zero never ends */
        rc = plani_fail(err, PLAN_EIO, "%s: is a device; name a file", path);
        goto done;
    }
    for (;;) { /* pipes have no size: grow by doubling */
        if (used + 1 >= room) {
            room = room ? 2 * room : 65536;
            char *more = realloc(buf, room);
            if (more == NULL) {
                rc = plani_fail(err, PLAN_ENOMEM, "%s: out of memory after %zu bytes", path, used);
                goto done;
            }
            buf = more;
        }
        size_t got = fread(buf + used, 1, room - used - 1, f);
        used += got;
        if (used > limit) {
            rc = plani_fail(err, PLAN_EFORMAT, "%s: larger than %zu bytes", path, limit);
            goto done;
        }
        if (got == 0) break;
    }
    if (ferror(f)) {
        rc = plani_fail(err, PLAN_EIO, "%s: cannot be read: %s", path, strerror(errno));
        goto done;
    }
    buf[used] = '\0';
    *text = buf, buf = NULL;
    *len = used;
done:
    if (f != NULL) fclose(f);
    free(buf);
    return rc;
}

static int write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        text += n;
        len -= (size_t)n;
    }
    return fsync(fd);
}

plan_status_t plani_write_file(const char *path, const char *text, size_t len, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    struct stat st;
    size_t room = strlen(path) + 16;
    char *beside = malloc(room);
    int fd = -1;

    if (beside == NULL) return plani_fail(err, PLAN_ENOMEM, "%s: out of memory", path);
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) { /* a device or pipe cannot be renamed over */
        fd = open(path, O_WRONLY);
        if (fd < 0 || (write_all(fd, text, len) != 0 && errno != EINVAL && errno != EROFS))
            rc = plani_fail(err, PLAN_EIO, "%s: cannot be written: %s", path, strerror(errno));
        goto done;
    }
    snprintf(beside, room, "%s.XXXXXX", path);
    if ((fd = mkstemp(beside)) < 0) {
        rc = plani_fail(err, PLAN_EIO, "%s: cannot be written: %s", path, strerror(errno));
        goto done;
    }
    mode_t mask = umask(0); /* mkstemp makes private files; give what open would have given */
    umask(mask);
    if (write_all(fd, text, len) != 0 || fchmod(fd, 0666 & ~mask) != 0 || rename(beside, path) != 0) {
        rc = plani_fail(err, PLAN_EIO, "%s: cannot be written: %s", path, strerror(errno));
        unlink(beside);
    }
done:
    if (fd >= 0) close(fd);
    free(beside);
    return rc;
}
