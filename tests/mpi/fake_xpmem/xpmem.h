/* A stand-in for XPMEM's library, which takes a module of the kernel that test machines lack: the functions that
 * lib/mpi/execute/mapped_memory.c calls, with the interface of libxpmem 2.6. What is attached is a copy, made then. */
#ifndef PLANBCAST_TESTS_XPMEM_H
#define PLANBCAST_TESTS_XPMEM_H

#include <stdint.h>
#include <sys/types.h>

#define XPMEM_MAXADDR_SIZE ((size_t)-1)
#define XPMEM_RDONLY 1
#define XPMEM_RDWR 2
#define XPMEM_PERMIT_MODE 1

typedef int64_t xpmem_segid_t, xpmem_apid_t;

struct xpmem_addr {
    xpmem_apid_t apid;
    off_t offset;
};

xpmem_segid_t xpmem_make(void *from, size_t size, int permit_type, void *permit);
int xpmem_remove(xpmem_segid_t segment);
xpmem_apid_t xpmem_get(xpmem_segid_t segment, int flags, int permit_type, void *permit);
int xpmem_release(xpmem_apid_t permit);
void *xpmem_attach(struct xpmem_addr from, size_t size, void *to);
int xpmem_detach(void *at);

/** What this process does by it. */
typedef struct {
    enum { FAKE_WORKS, FAKE_MAKE_FAILS, FAKE_GET_FAILS, FAKE_ATTACH_FAILS } fails; /* to be set */
    int segments, permits, attached;                                               /* that there are now */
    int attaches;                                                                  /* that there have been */
    int mistakes; /* calls that XPMEM refuses, or that undo what there is not */
} fake_xpmem_t;
extern fake_xpmem_t fake_xpmem;

#endif
