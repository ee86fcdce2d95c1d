/* SPDX-License-Identifier: BSD-3-Clause */
/* What the module planbcast cannot say in Fortran: handles of MPI, descriptors of buffers, structs of options. */
#include <ISO_Fortran_binding.h>
#include <planbcast/mpi.h>
#include <stdint.h>
#include <string.h>

int plani_f_bcast(MPI_Fint comm, int root, int64_t max_bytes, int reduces, int mode, double budget_s,
                  const char *machine, const char *save_machine, const char *load_profile, const char *save_profile,
                  void (*report)(void *context, int level, const char *line), void *context, plan_t **plan, char *text,
                  size_t room);
int plani_f_execute(plan_t *plan, const CFI_cdesc_t *buffer, int64_t count, MPI_Fint datatype, const void *bottom);
int plani_f_start(plan_t *plan, const CFI_cdesc_t *buffer, int64_t count, MPI_Fint datatype, const void *bottom);
int plani_f_reduce_execute(plan_t *plan, const CFI_cdesc_t *sendbuf, const CFI_cdesc_t *recvbuf, int64_t count,
                           MPI_Fint datatype, MPI_Fint op, const void *bottom, const void *in_place);
int plani_f_test(plan_t *plan, int *done);
void plani_f_status_text(int ierror, char *text, size_t room);

static void put(char *text, size_t room, const char *line)
{
    size_t length = strlen(line);
    if (length >= room) length = room - 1;
    memcpy(text, line, length);
    text[length] = '\0';
}

static void set_name(const char **option, const char *name)
{
    if (name[0] != '\0') *option = name;
}

/* plan_bcast, or plan_reduce. Where a variable of the environment is invalid, the environment once more, for all ranks
 * have to learn of it. */
int plani_f_bcast(MPI_Fint comm, int root, int64_t max_bytes, int reduces, int mode, double budget_s,
                  const char *machine, const char *save_machine, const char *load_profile, const char *save_profile,
                  void (*report)(void *context, int level, const char *line), void *context, plan_t **plan, char *text,
                  size_t room)
{
    plan_error_t err = {.text = ""}, unread;
    plan_options_t options;
    plan_status_t read = plan_options_init(&options, &unread);

    options.error = &err;
    if (mode >= 0) options.mode = (plan_mode_t)mode;
    if (budget_s >= 0) options.budget_s = budget_s;
    set_name(&options.machine, machine);
    set_name(&options.save_machine, save_machine);
    set_name(&options.load_profile, load_profile);
    set_name(&options.save_profile, save_profile);
    options.report = report;
    options.report_context = context;
    int rc =
        (reduces ? plan_reduce : plan_bcast)(MPI_Comm_f2c(comm), root, max_bytes < 0 ? SIZE_MAX : (size_t)max_bytes,
                                             read == PLAN_OK ? &options : NULL, plan);
    put(text, room, rc == 0 || read == PLAN_OK ? err.text : unread.text);
    return rc;
}

/* The address of a buffer for C; NULL, which is refused, if it has gaps. */
static void *address_of(const CFI_cdesc_t *buffer, const void *bottom)
{
    if (buffer->base_addr == bottom) return MPI_BOTTOM;
    return buffer->rank == 0 || CFI_is_contiguous(buffer) ? buffer->base_addr : NULL;
}

/* Arguments of a broadcast. */
typedef struct {
    void *at;
    MPI_Count count;
    MPI_Datatype type;
} message_t;

/* With gaps: no buffer of as many bytes, for with the caller's datatype NULL might be MPI_BOTTOM. */
static message_t message_of(const CFI_cdesc_t *buffer, int64_t count, MPI_Fint datatype, const void *bottom)
{
    message_t m = {.at = address_of(buffer, bottom), .count = count, .type = MPI_Type_f2c(datatype)};
    MPI_Count size = 0, bytes;

    if (m.at != NULL || buffer->base_addr == bottom || m.type == MPI_DATATYPE_NULL) return m;
    if (MPI_Type_size_x(m.type, &size) != MPI_SUCCESS || __builtin_mul_overflow(count, size, &bytes)) return m;
    m.count = bytes;
    m.type = MPI_BYTE;
    return m;
}

int plani_f_execute(plan_t *plan, const CFI_cdesc_t *buffer, int64_t count, MPI_Fint datatype, const void *bottom)
{
    const message_t m = message_of(buffer, count, datatype, bottom);
    return plan_execute(plan, m.at, m.count, m.type);
}

int plani_f_start(plan_t *plan, const CFI_cdesc_t *buffer, int64_t count, MPI_Fint datatype, const void *bottom)
{
    const message_t m = message_of(buffer, count, datatype, bottom);
    return plan_start(plan, m.at, m.count, m.type);
}

int plani_f_reduce_execute(plan_t *plan, const CFI_cdesc_t *sendbuf, const CFI_cdesc_t *recvbuf, int64_t count,
                           MPI_Fint datatype, MPI_Fint op, const void *bottom, const void *in_place)
{
    const void *send = sendbuf->base_addr == in_place ? MPI_IN_PLACE : address_of(sendbuf, bottom);
    return plan_reduce_execute(plan, send, address_of(recvbuf, bottom), count, MPI_Type_f2c(datatype), MPI_Op_f2c(op));
}

int plani_f_test(plan_t *plan, int *done)
{
    bool ended;
    int rc = plan_test(plan, &ended);
    *done = ended;
    return rc;
}

void plani_f_status_text(int ierror, char *text, size_t room)
{
    char line[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (ierror > 0) MPI_Error_string(ierror, line, &length);
    put(text, room, ierror > 0 ? line : plan_status_string((plan_status_t)ierror));
}
