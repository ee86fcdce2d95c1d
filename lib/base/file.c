/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/base/base.h"
#include <errno.h>
#include <stdbool.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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
        rc = errno == ENOMEM ? PLAN_ENOMEM : PLAN_EIO;
        plani_fail(err, rc, "%s: cannot be opened: %s", path, strerror(errno));
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
            char *more = plani_grown(buf, room, &room, 1);
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

/* An output file: temporary until it is renamed. */
typedef struct {
    int fd;
    bool direct; /* a device or pipe, which cannot be replaced: fd is the file itself */
    bool renamed;
    char *target; /* the path with symbolic links resolved; owned */
    char *beside; /* the temporary file; owned */
} out_t;

/* Create a new file beside the target, with the permissions of the old one, if there is one, or the default ones. */
static int open_beside(out_t *o, const struct stat *old)
{
    size_t room = strlen(o->target) + 48;

    if ((o->beside = malloc(room)) == NULL) {
        errno = ENOMEM;
        return -1;
    }
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        snprintf(o->beside, room, "%s.%ld-%u", o->target, (long)getpid(), attempt);
        o->fd = open(o->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (o->fd >= 0 || errno != EEXIST) break;
    }
    if (o->fd < 0) return -1;
    return old != NULL ? fchmod(o->fd, old->st_mode & 0777) : 0; /* no setuid: the owner may differ */
}

static plan_status_t open_out(const char *path, out_t *o, plan_error_t *err)
{
    struct stat st;
    bool exists = stat(path, &st) == 0, absent = !exists && errno == ENOENT;

    *o = (out_t){.fd = -1, .direct = exists && !S_ISREG(st.st_mode)};
    if (absent && lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) { /* a link to what does not exist */
        errno = ENOENT;
        goto failed;
    }
    if (o->direct) {
        o->fd = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        o->target = exists ? realpath(path, NULL) : strdup(path);
        if (o->target == NULL || open_beside(o, exists ? &st : NULL) != 0) goto failed;
    }
    if (o->fd >= 0) return PLAN_OK;
failed:
    return plani_fail(err, errno == ENOMEM ? PLAN_ENOMEM : PLAN_EIO, "%s: cannot be written: %s", path,
                      strerror(errno));
}

static void close_out(out_t *o)
{
    if (o->fd >= 0) close(o->fd);
    if (o->fd >= 0 && !o->direct && !o->renamed) unlink(o->beside);
    free(o->target);
    free(o->beside);
}

/* Let the file that was written beside take its name. `fresh`: only if no file has it; errno is EEXIST then. File
 * systems without links cannot tell. */
static int publish(out_t *o, bool fresh)
{
    if (!fresh) return rename(o->beside, o->target);
    if (link(o->beside, o->target) == 0) return unlink(o->beside);
    return errno == EEXIST ? -1 : rename(o->beside, o->target);
}

/* *taken: it is to be a new file, and there is one by now; not an error, then. */
static plan_status_t write_file(const char *path, const char *text, size_t len, bool *taken, plan_error_t *err)
{
    out_t o;
    plan_status_t rc = open_out(path, &o, err);

    if (rc == PLAN_OK) {
        bool written = write_all(o.fd, text, len) == 0 || (o.direct && (errno == EINVAL || errno == EROFS));
        o.renamed = written && !o.direct && publish(&o, taken != NULL) == 0;
        if (taken != NULL) *taken = written && !o.direct && !o.renamed && errno == EEXIST;
        if ((!written || (!o.direct && !o.renamed)) && (taken == NULL || !*taken))
            rc = plani_fail(err, PLAN_EIO, "%s: cannot be written: %s", path, strerror(errno));
    }
    close_out(&o);
    return rc;
}

plan_status_t plani_write_file(const char *path, const char *text, size_t len, plan_error_t *err)
{
    return write_file(path, text, len, NULL, err);
}

/* ---- updates ---- */

/* Open and lock the file that has this name now; -1, and errno is ENOENT: there is none. */
static int open_locked(const char *path)
{
    for (;;) {
        struct stat mine, now;
        int fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0) return -1;
        while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
        }
        if (fstat(fd, &mine) == 0 && stat(path, &now) == 0 && mine.st_ino == now.st_ino && mine.st_dev == now.st_dev)
            return fd;
        close(fd); /* replaced while this process waited */
    }
}

static plan_status_t rewrite(const char *path, size_t limit, plani_rewrite_t *change, void *context, bool *taken,
                             plan_error_t *err)
{
    char *old = NULL, *text = NULL;
    size_t len = 0;
    plan_status_t rc = taken == NULL ? plani_read_file(path, limit, &old, &len, err) : PLAN_OK;

    if (rc == PLAN_OK) rc = change(context, len > 0 ? old : NULL, len, &text, err);
    if (rc == PLAN_OK) rc = write_file(path, text, strlen(text), taken, err);
    free(old);
    free(text);
    return rc;
}

plan_status_t plani_update_file(const char *path, size_t limit, plani_rewrite_t *change, void *context,
                                plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    struct stat st;
    bool taken;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) { /* a device or pipe has no old text */
        char *text = NULL;
        if ((rc = change(context, NULL, 0, &text, err)) == PLAN_OK)
            rc = write_file(path, text, strlen(text), NULL, err);
        free(text);
        return rc;
    }
    do {
        int fd = open_locked(path);
        taken = false;
        if (fd < 0 && errno != ENOENT)
            return plani_fail(err, PLAN_EIO, "%s: cannot be written: %s", path, strerror(errno));
        rc = rewrite(path, limit, change, context, fd < 0 ? &taken : NULL, err);
        if (fd >= 0) close(fd);
    } while (rc == PLAN_OK && taken);
    return rc;
}

plan_status_t plani_may_write(const char *path, plan_error_t *err)
{
    out_t o;
    struct stat st;
    plan_status_t rc = PLAN_OK;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) { /* do not open a pipe: its reader would see an end of file */
        if (S_ISDIR(st.st_mode)) errno = EISDIR;
        if (S_ISDIR(st.st_mode) || access(path, W_OK) != 0)
            rc = plani_fail(err, PLAN_EIO, "%s: cannot be written: %s", path, strerror(errno));
        return rc;
    }
    rc = open_out(path, &o, err);
    close_out(&o);
    return rc;
}
