#define _GNU_SOURCE /* process_vm_readv's number */
#include <xpmem.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST = 256, SEGMENTS = 1 << 20 };

fake_xpmem_t fake_xpmem;

static bool segment_used[MOST];
static struct {
    int process, flags; /* no process: not in use */
} permit_used[MOST];
static struct {
    void *at; /* NULL: not in use */
    size_t size;
    xpmem_apid_t permit;
} attached[MOST];

static int64_t mistake(void)
{
    fake_xpmem.mistakes++;
    return -1;
}

/* A segment says whose it is, so that others need no list. */
xpmem_segid_t xpmem_make(void *from, size_t size, int permit_type, void *permit)
{
    int k = 1;
    if (fake_xpmem.fails == FAKE_MAKE_FAILS) return -1;
    if (from != NULL || size != XPMEM_MAXADDR_SIZE) return mistake(); /* others are not needed here */
    if (permit_type != XPMEM_PERMIT_MODE || (uintptr_t)permit & ~(uintptr_t)0777) return mistake();
    while (k < MOST && segment_used[k]) k++;
    if (k == MOST) return mistake();
    segment_used[k] = true;
    fake_xpmem.segments++;
    return (int64_t)getpid() * SEGMENTS + k;
}

int xpmem_remove(xpmem_segid_t segment)
{
    int64_t k = segment % SEGMENTS;
    if (segment / SEGMENTS != getpid() || k >= MOST || !segment_used[k]) return (int)mistake();
    segment_used[k] = false;
    fake_xpmem.segments--;
    return 0;
}

xpmem_apid_t xpmem_get(xpmem_segid_t segment, int flags, int permit_type, void *permit)
{
    int k = 1;
    if (fake_xpmem.fails == FAKE_GET_FAILS) return -1;
    if (segment <= 0 || (flags != XPMEM_RDONLY && flags != XPMEM_RDWR)) return mistake();
    if (permit_type != XPMEM_PERMIT_MODE || permit != NULL) return mistake();
    while (k < MOST && permit_used[k].process != 0) k++;
    if (k == MOST) return mistake();
    permit_used[k].process = (int)(segment / SEGMENTS);
    permit_used[k].flags = flags;
    fake_xpmem.permits++;
    return k;
}

static bool is_permit(xpmem_apid_t permit)
{
    return permit > 0 && permit < MOST && permit_used[permit].process != 0;
}

int xpmem_release(xpmem_apid_t permit)
{
    if (!is_permit(permit)) return (int)mistake();
    for (int k = 0; k < MOST; k++)
        if (attached[k].at != NULL && attached[k].permit == permit) xpmem_detach(attached[k].at);
    permit_used[permit].process = 0;
    fake_xpmem.permits--;
    return 0;
}

/* Not to be written: that would change the other process's memory. */
void *xpmem_attach(struct xpmem_addr from, size_t size, void *to)
{
    const long page = sysconf(_SC_PAGESIZE);
    const struct iovec there = {.iov_base = (void *)(uintptr_t)from.offset, .iov_len = size};
    int k = 0;

    if (fake_xpmem.fails == FAKE_ATTACH_FAILS) return MAP_FAILED;
    while (k < MOST && attached[k].at != NULL) k++;
    if (!is_permit(from.apid) || permit_used[from.apid].flags != XPMEM_RDWR || from.offset % page != 0 || size == 0 ||
        to != NULL || k == MOST) {
        mistake();
        return MAP_FAILED;
    }
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const struct iovec here = {.iov_base = at, .iov_len = size};
    if (at == MAP_FAILED) return at;
    if (syscall(SYS_process_vm_readv, permit_used[from.apid].process, &here, 1, &there, 1, 0) != (long)size) {
        munmap(at, size);
        return MAP_FAILED;
    }
    mprotect(at, size, PROT_READ);
    attached[k].at = at, attached[k].size = size, attached[k].permit = from.apid;
    fake_xpmem.attached++;
    fake_xpmem.attaches++;
    return at;
}

int xpmem_detach(void *at)
{
    for (int k = 0; k < MOST; k++) {
        if (at == NULL || attached[k].at != at) continue;
        munmap(at, attached[k].size);
        attached[k].at = NULL;
        fake_xpmem.attached--;
        return 0;
    }
    return (int)mistake();
}
