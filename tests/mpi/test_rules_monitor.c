/* Open MPI broadcasts and reduces by the rules files that are written for it: the algorithm, fan-out and segments that
 * the file says, and the right bytes. Open MPI's message monitor reports each message.
 *
 *     test_rules_monitor write FILE     without MPI: a rule for every setting, in several segments
 *     test_rules_monitor write-reduce FILE    the same of reductions
 *     mpiexec ... test_rules_monitor FILE    the file that OMPI_MCA_coll_tuned_dynamic_rules_filename names
 *
 * The file is read here by other code. Exits with 77, "skipped", where MPI is not Open MPI 4 or 5. */
#include "graphs/trees/trees.h"
#include "planner/exports/exports.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RULES = 2048, MOST_SENDS = 1 << 16, STEP = 20000 };

/* ---- writing ---- */

static int write_file(const plani_target_t *target, const char *path)
{
    static const size_t segment[] = {0, 8000};
    plani_rules_t rules = {.target = target, .reduces = target == &plani_open_mpi_reduce, .n = 1};
    plani_comm_rules_t comm = {.ranks = 2};
    plani_text_t to = {0};
    FILE *f = fopen(path, "w");

    for (size_t i = 0; i < target->n; i++)
        for (size_t k = 0; k < (target->setting[i].segments ? 2 : 1); k++) {
            size_t from = comm.n * STEP;
            comm.rule[comm.n++] = (plani_rule_t){
                .from = from, .setting = &target->setting[i], .segment = segment[k], .at = from + 1, .seconds = 1};
        }
    rules.comm = &comm;
    plani_put_open_mpi_rules(&rules, 1, &to);
    if (f == NULL || to.at == NULL) return EXIT_FAILURE;
    fputs(to.at, f);
    free(to.at);
    return fclose(f) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 4 && OMPI_MAJOR_VERSION <= 5

/* ---- reading ---- */

typedef struct {
    int ranks, algorithm, fanout;
    size_t from, segment;
} rule_t;

static struct {
    int n;
    bool reduces;
    rule_t at[MOST_RULES];
} rules;

static void give_up(const char *why)
{
    fprintf(stderr, "%s\n", why);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static long number(FILE *f)
{
    long x;
    char rest[1024];
    while (fscanf(f, " %ld", &x) != 1)
        if (fgets(rest, sizeof rest, f) == NULL) give_up("the rules end too soon");
    return x;
}

static void read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    if (f == NULL) give_up("no rules");
    if (number(f) != 1) give_up("of several collectives");
    long collective = number(f);
    if (collective != 7 && collective != 11) give_up("of another collective");
    rules.reduces = collective == 11;
    for (long left = number(f); left > 0; left--) {
        int ranks = (int)number(f);
        for (long k = number(f); k > 0 && rules.n < MOST_RULES; k--) {
            rule_t *r = &rules.at[rules.n++];
            r->ranks = ranks;
            r->from = (size_t)number(f);
            r->algorithm = (int)number(f);
            r->fanout = (int)number(f);
            r->segment = (size_t)number(f);
        }
    }
    fclose(f);
}

/* Of the rules of the largest communicator size that fits, the last whose size does. */
static const rule_t *find_rule(int ranks, size_t bytes)
{
    const rule_t *found = NULL;
    for (int i = 0; i < rules.n; i++)
        if (rules.at[i].ranks <= ranks &&
            (found == NULL || rules.at[i].ranks != found->ranks || rules.at[i].from <= bytes))
            found = &rules.at[i];
    return found;
}

/* ---- broadcasts ---- */

static int world_rank, world_size;
static struct {
    int n, peer[MOST_SENDS];
    size_t bytes[MOST_SENDS];
} sent;
static long total;

/* Stands before the function of the same name in Open MPI's monitor, which its pml/monitoring calls for each message.
 */
__attribute__((visibility("default"))) void mca_common_monitoring_record_pml(int peer, size_t bytes, int tag);
void mca_common_monitoring_record_pml(int peer, size_t bytes, int tag)
{
    (void)tag;
    if (sent.n < MOST_SENDS) sent.peer[sent.n] = peer, sent.bytes[sent.n++] = bytes;
    total++;
}

static int wrong(const rule_t *r, const char *what, int size, int root, size_t bytes)
{
    fprintf(stderr, "algorithm %d, fan-out %d, segment %zu, %d ranks, root %d, %zu B: rank %d: %s (%d sends)\n",
            r->algorithm, r->fanout, r->segment, size, root, bytes, world_rank, what, sent.n);
    return 1;
}

/* Segment by segment to all children in their order; the linear broadcast knows no segments. */
static int compare_tree(const rule_t *r, const plan_tree_t *tree, int size, int root, size_t bytes)
{
    int n, at = 0;
    const int *child = plan_tree_children(tree, world_rank, &n);
    size_t segment = r->segment == 0 || r->segment > bytes || r->algorithm == 1 ? bytes : r->segment;
    for (size_t from = 0; from < bytes; from += segment)
        for (int i = 0; i < n; i++, at++) {
            size_t length = bytes - from < segment ? bytes - from : segment;
            if (at >= sent.n || sent.peer[at] != child[i]) return wrong(r, "another peer", size, root, bytes);
            if (sent.bytes[at] != length) return wrong(r, "another length", size, root, bytes);
        }
    return at == sent.n ? 0 : wrong(r, "more messages", size, root, bytes);
}

/* To the children, and then to a partner: halves, or segments of them. */
static int compare_split(const rule_t *r, const plan_tree_t *tree, int size, int root, size_t bytes)
{
    int n, partner[64], peers = 0;
    const int *child = plan_tree_children(tree, world_rank, &n);
    if (size < 3) return 0; /* goes whole */
    if (plani_split_binary_partners(size, root, partner) != PLAN_OK) give_up("no partners");
    for (int i = 0; i < sent.n; i++) {
        if (sent.bytes[i] > bytes / 2 + 1 + r->segment ||
            (r->segment > 0 && i + 1 < sent.n && sent.bytes[i] > r->segment))
            return wrong(r, "another length", size, root, bytes);
        if (i > 0 && sent.peer[i] == sent.peer[i - 1]) continue;
        bool known = sent.peer[i] == partner[world_rank];
        for (int k = 0; k < n; k++) known = known || sent.peer[i] == child[k];
        if (!known) return wrong(r, "another peer", size, root, bytes);
        peers++;
    }
    return peers >= n ? 0 : wrong(r, "fewer peers", size, root, bytes);
}

/* The root sends no rank the whole message. */
static int compare_scattered(const rule_t *r, int size, int root, size_t bytes)
{
    for (int i = 0; i < sent.n && size > 2; i++)
        if (sent.bytes[i] >= bytes) return wrong(r, "sends it whole", size, root, bytes);
    return 0;
}

static int compare(const rule_t *r, int size, int root, size_t bytes)
{
    static const plan_topology_t kind[] = {PLAN_LINEAR,       PLAN_LINEAR, PLAN_CHAIN,    PLAN_PIPELINE,
                                           PLAN_SPLIT_BINARY, PLAN_BINARY, PLAN_BINOMIAL, PLAN_KNOMIAL};
    plan_tree_t *tree = NULL;
    if (r->algorithm > 7) return compare_scattered(r, size, root, bytes);
    if (plan_tree_topology(kind[r->algorithm], size, root, r->algorithm == 2 ? r->fanout : 0, &tree) != PLAN_OK)
        give_up("no tree");
    int n = (r->algorithm == 4 ? compare_split : compare_tree)(r, tree, size, root, bytes);
    plan_tree_destroy(&tree);
    return n;
}

/* ---- reductions ---- */

/* Segment by segment to the parent, the last one shorter. */
static int compare_up(const rule_t *r, const plan_tree_t *tree, int size, int root, size_t bytes)
{
    int up = plan_tree_data(tree)->parent[world_rank], at = 0;
    size_t segment = r->segment == 0 || r->segment > bytes || r->algorithm == 1 ? bytes : r->segment;
    for (size_t from = 0; from < bytes && up >= 0; from += segment, at++) {
        if (at >= sent.n || sent.peer[at] != up) return wrong(r, "another peer", size, root, bytes);
        if (sent.bytes[at] != (bytes - from < segment ? bytes - from : segment))
            return wrong(r, "another length", size, root, bytes);
    }
    return at == sent.n ? 0 : wrong(r, "more messages", size, root, bytes);
}

static int compare_reduction(const rule_t *r, int size, int root, size_t bytes)
{
    static const plan_topology_t kind[] = {PLAN_LINEAR,   PLAN_LINEAR, PLAN_CHAIN,
                                           PLAN_PIPELINE, PLAN_BINARY, PLAN_KNOMIAL};
    plan_tree_t *tree = NULL;
    int fanout = r->algorithm == 2 ? r->fanout : r->algorithm == 5 ? 2 : 0;
    if (r->algorithm < 1 || r->algorithm > 5 ||
        plan_tree_topology(kind[r->algorithm], size, root, fanout, &tree) != PLAN_OK)
        give_up("no tree");
    int n = compare_up(r, tree, size, root, bytes);
    plan_tree_destroy(&tree);
    return n;
}

/* The second half of the memory is for what is sent. */
static int reduce(MPI_Comm comm, int size, int root, size_t bytes, unsigned char *data, size_t room)
{
    const rule_t *r = find_rule(size, bytes);
    unsigned char *own = data + room;
    for (size_t i = 0; i < bytes; i++) own[i] = (unsigned char)(i * 7 + bytes + (size_t)world_rank);
    sent.n = 0;
    MPI_Reduce(own, data, (int)bytes, MPI_BYTE, MPI_BXOR, root, comm);
    int bad = r != NULL ? compare_reduction(r, size, root, bytes) : 0;
    for (size_t i = 0; i < bytes && r != NULL && world_rank == root; i++) {
        unsigned char right = 0;
        for (int v = 0; v < size; v++) right ^= (unsigned char)(i * 7 + bytes + (size_t)v);
        if (data[i] != right) return bad + wrong(r, "a wrong result", size, root, bytes);
    }
    return bad;
}

static int broadcast(MPI_Comm comm, int size, int root, size_t bytes, unsigned char *data)
{
    const rule_t *r = find_rule(size, bytes);
    int bad = 0;
    for (size_t i = 0; i < bytes; i++) data[i] = world_rank == root ? (unsigned char)(i * 7 + bytes) : 0;
    sent.n = 0;
    MPI_Bcast(data, (int)bytes, MPI_BYTE, root, comm);
    int n = sent.n;
    if (r != NULL) bad += compare(r, size, root, bytes);
    for (size_t i = 0; i < bytes && r != NULL; i++)
        if (data[i] != (unsigned char)(i * 7 + bytes)) return bad + wrong(r, "wrong bytes", size, root, bytes);
    return bad + (n < 0);
}

/* Near the beginning and in the middle of each rule. */
static int run_all(MPI_Comm comm, int size, unsigned char *data, size_t room)
{
    int bad = 0;
    for (int i = 0; i < rules.n; i++) {
        size_t from = rules.at[i].from,
               next = i + 1 < rules.n && rules.at[i + 1].from > from ? rules.at[i + 1].from : 2 * from;
        if (rules.at[i].ranks > size) continue;
        size_t bytes[] = {from + 1, from + (next > from ? (next - from) / 2 : 9)};
        for (int k = 0; k < 2; k++)
            if (bytes[k] > 8 * (size_t)size && bytes[k] <= room)
                bad += rules.reduces ? reduce(comm, size, (i + k) % size, bytes[k], data, room)
                                     : broadcast(comm, size, (i + k) % size, bytes[k], data);
    }
    return bad;
}

static int run(const char *path)
{
    enum { ROOM = 4 << 20 };
    int count[2] = {0, 0}; /* differences, whether nothing was sent at all */
    unsigned char *data = malloc(2 * ROOM);

    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    read_file(path);
    if (data == NULL) give_up("out of memory");
    for (int size = 2; size <= world_size; size += size < 4 ? 1 : 2) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, world_rank < size ? 0 : MPI_UNDEFINED, world_rank, &comm);
        if (comm == MPI_COMM_NULL) continue;
        count[0] += run_all(comm, size, data, ROOM);
        MPI_Comm_free(&comm);
    }
    free(data);
    count[1] = total == 0;
    MPI_Allreduce(MPI_IN_PLACE, count, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0) printf("%d rules, %d differences\n", rules.n, count[0]);
    if (count[1] > 0) give_up("the monitor saw nothing (set OMPI_MCA_pml_monitoring_enable=1)");
    return count[0] > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#else

static int run(const char *path)
{
    (void)path;
    return 77;
}

#endif

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0) return write_file(&plani_open_mpi, argv[2]);
    if (argc == 3 && strcmp(argv[1], "write-reduce") == 0) return write_file(&plani_open_mpi_reduce, argv[2]);
    if (argc != 2) return EXIT_FAILURE;
    MPI_Init(&argc, &argv);
    int status = run(argv[1]);
    MPI_Finalize();
    return status;
}
