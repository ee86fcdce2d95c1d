/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/api/job.h"
#include "lib/base/base.h"
#include "lib/base/names.h"
#include "lib/mpi/comm/world.h"
#include "planner/plan/plan_private.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS = 256 }; /* the oldest is dropped for a new one */

/* A machine; its text is parsed when it is first used. */
typedef struct {
    char *text; /* NULL: it has been read */
    char *from;
    plani_machine_t *machine;
} known_t;

typedef struct {
    uint64_t key;
    plan_t *plan;
} kept_t;

struct plani_job {
    pthread_mutex_t lock;
    int world;            /* ranks */
    bool *seen;           /* [world] */
    plani_place_t *place; /* [world] but for the host */
    plani_name_t *name;   /* [world] */
    bool unsure;          /* host names are not unique */
    bool looked;
    size_t nknown, known_room, nkept, next;
    known_t *known;
    kept_t kept[PLANS];
};

static int keyval = MPI_KEYVAL_INVALID; /* under plani_lock; as in execute/common.c */

/* ---- life ---- */

static void destroy(plani_job_t *job)
{
    for (size_t i = 0; i < job->nknown; i++) {
        free(job->known[i].text);
        free(job->known[i].from);
        plani_forget_machine(&job->known[i].machine);
    }
    for (size_t i = 0; i < job->nkept; i++) plan_destroy(&job->kept[i].plan);
    free(job->known);
    free(job->seen);
    free(job->place);
    free(job->name);
    pthread_mutex_destroy(&job->lock);
    free(job);
}

/* MPI_COMM_SELF is being freed: MPI ends. */
static int forget(MPI_Comm comm, int key, void *job, void *extra)
{
    (void)comm, (void)key, (void)extra;
    destroy(job);
    return MPI_SUCCESS;
}

static plani_job_t *create(void)
{
    plani_job_t *job = calloc(1, sizeof *job);
    if (job == NULL) return NULL;
    MPI_Comm_size(MPI_COMM_WORLD, &job->world);
    job->seen = calloc((size_t)job->world, sizeof *job->seen);
    job->place = calloc((size_t)job->world, sizeof *job->place);
    job->name = calloc((size_t)job->world, sizeof *job->name);
    pthread_mutex_init(&job->lock, NULL);
    if (job->seen != NULL && job->place != NULL && job->name != NULL) return job;
    destroy(job);
    return NULL;
}

static plani_job_t *find_or_make(void)
{
    plani_job_t *job = NULL;
    int found = 0, rc = MPI_SUCCESS;

    if (keyval == MPI_KEYVAL_INVALID) rc = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL);
    if (rc != MPI_SUCCESS || MPI_Comm_get_attr(MPI_COMM_SELF, keyval, &job, &found) != MPI_SUCCESS) return NULL;
    if (found) return job;
    if ((job = create()) == NULL || MPI_Comm_set_attr(MPI_COMM_SELF, keyval, job) == MPI_SUCCESS) return job;
    destroy(job);
    return NULL;
}

plan_status_t plani_job_find(plani_job_t **job)
{
    int world = 0;

    *job = NULL;
    MPI_Initialized(&world);
    if (!world) return PLAN_OK;
    plani_lock();
    *job = find_or_make();
    plani_unlock();
    return *job != NULL ? PLAN_OK : PLAN_ENOMEM;
}

/* ---- placements ---- */

/* Number hosts by their names and lowest ranks. O(ranks) on average. PLAN_ENOMEM. */
static plan_status_t number_hosts(plani_placement_t *placement)
{
    plani_names_t names = {0};
    int number = 0;

    placement->hosts = 0;
    for (int r = 0; r < placement->ranks && number >= 0; r++) {
        number = plani_names_add(&names, placement->name[r].text, placement->hosts);
        placement->place[r].host = number;
        placement->hosts += number == placement->hosts;
    }
    plani_names_clear(&names);
    return number >= 0 ? PLAN_OK : PLAN_ENOMEM;
}

int plani_placement_open(plani_job_t *job, MPI_Comm comm, plani_placement_t *placement)
{
    int rc;

    *placement = (plani_placement_t){.known = job != NULL};
    MPI_Comm_size(comm, &placement->ranks);
    size_t n = (size_t)placement->ranks;
    placement->world = malloc(n * sizeof *placement->world);
    placement->place = calloc(n, sizeof *placement->place);
    placement->name = calloc(n, sizeof *placement->name);
    if (placement->world == NULL || placement->place == NULL || placement->name == NULL) return PLAN_ENOMEM;
    if (job == NULL) return 0;
    if ((rc = plani_world_ranks(comm, placement->ranks, placement->world)) != MPI_SUCCESS) return rc;
    pthread_mutex_lock(&job->lock);
    placement->known = !job->unsure;
    for (int r = 0; r < placement->ranks && placement->known; r++) {
        int w = placement->world[r];
        placement->known = w >= 0 && w < job->world && job->seen[w];
        if (placement->known) placement->place[r] = job->place[w], placement->name[r] = job->name[w];
    }
    pthread_mutex_unlock(&job->lock);
    return placement->known ? number_hosts(placement) : 0;
}

void plani_placement_close(plani_placement_t *placement)
{
    free(placement->world);
    free(placement->place);
    free(placement->name);
    *placement = (plani_placement_t){0};
}

/* Whether host names are unique: ranks share a host if and only if their hosts have the same name. False if out of
 * memory, too. O(ranks) on average. */
static bool names_tell(const plani_placement_t *placement)
{
    plani_names_t names = {0};
    const char **name = calloc((size_t)placement->hosts + 1, sizeof *name); /* [hosts] */
    bool tell = name != NULL;

    for (int r = 0; r < placement->ranks && tell; r++) {
        const char *mine = placement->name[r].text, **known = &name[placement->place[r].host];
        if (*known == NULL) *known = mine;
        tell = mine[0] != '\0' && strcmp(*known, mine) == 0 &&
               plani_names_add(&names, mine, placement->place[r].host) == placement->place[r].host;
    }
    plani_names_clear(&names);
    free(name);
    return tell;
}

void plani_job_learn(plani_job_t *job, const plani_placement_t *placement)
{
    if (job == NULL) return;
    bool sure = names_tell(placement);
    pthread_mutex_lock(&job->lock);
    job->unsure = job->unsure || !sure;
    for (int r = 0; r < placement->ranks; r++) {
        int w = placement->world[r];
        if (w < 0 || w >= job->world) continue;
        job->place[w] = placement->place[r];
        job->name[w] = placement->name[r];
        job->seen[w] = true;
    }
    pthread_mutex_unlock(&job->lock);
}

/* ---- machines ---- */

/* Add a machine as the last one, or as the first. */
static plan_status_t add(plani_job_t *job, char *text, plani_machine_t *machine, const char *from, bool first)
{
    size_t len = strlen(from) + 1;
    char *copy = malloc(len);

    if (copy == NULL) return PLAN_ENOMEM;
    memcpy(copy, from, len);
    pthread_mutex_lock(&job->lock);
    known_t *more = plani_grown(job->known, job->nknown, &job->known_room, sizeof *more);
    if (more != NULL) {
        size_t at = first ? 0 : job->nknown;
        memmove(more + at + 1, more + at, (job->nknown++ - at) * sizeof *more);
        more[at] = (known_t){.text = text, .machine = machine, .from = copy};
        job->known = more;
    } else {
        free(copy);
    }
    pthread_mutex_unlock(&job->lock);
    return more != NULL ? PLAN_OK : PLAN_ENOMEM;
}

plan_status_t plani_job_add(plani_job_t *job, char *text, plani_machine_t *machine, const char *from)
{
    return add(job, text, machine, from, false);
}

plan_status_t plani_job_prefer(plani_job_t *job, char *text, const char *from)
{
    return add(job, text, NULL, from, true);
}

bool plani_job_has_looked(plani_job_t *job)
{
    pthread_mutex_lock(&job->lock);
    bool looked = job->looked;
    job->looked = true;
    pthread_mutex_unlock(&job->lock);
    return looked;
}

/* The machine's numbers of the hosts of a placement. */
static plan_status_t match(plani_machine_t *m, const plani_placement_t *placement, int *host, int *admitted,
                           plan_error_t *err)
{
    size_t hosts = (size_t)placement->hosts;
    int *number = malloc(hosts * sizeof *number);
    const char **name = calloc(2 * hosts, sizeof *name);
    plan_status_t rc = PLAN_ENOMEM;

    if (number != NULL && name != NULL) {
        const char **signature = name + hosts;
        for (int r = placement->ranks; r-- > 0;) {
            name[placement->place[r].host] = placement->name[r].text;
            signature[placement->place[r].host] = placement->name[r].signature;
        }
        rc = plani_planner(NULL)->machine_match(m, placement->hosts, name, signature,
                                                placement->ranks > placement->hosts, number, admitted, err);
    }
    for (int r = 0; r < placement->ranks && rc == PLAN_OK; r++) host[r] = number[placement->place[r].host];
    free(number);
    free(name);
    return rc;
}

bool plani_job_has(plani_job_t *job, const char *from)
{
    bool has = false;
    pthread_mutex_lock(&job->lock);
    for (size_t i = 0; i < job->nknown; i++) has = has || strcmp(job->known[i].from, from) == 0;
    pthread_mutex_unlock(&job->lock);
    return has;
}

/* Under the lock. */
static void read_text(known_t *k, plan_error_t *err)
{
    if (k->text == NULL || plani_planner_open(err) != PLAN_OK) return;
    plani_planner(NULL)->machine_parse(k->text, strlen(k->text), k->from, &k->machine, err);
    free(k->text);
    k->text = NULL;
}

/* Under the lock. */
static const plani_machine_t *try_machine(known_t *k, const plani_placement_t *placement, plani_found_machine_t *found,
                                          plan_error_t *err)
{
    read_text(k, err);
    if (k->machine == NULL || match(k->machine, placement, found->host, &found->admitted, err) != PLAN_OK) return NULL;
    found->from = k->from;
    return k->machine;
}

const plani_machine_t *plani_job_machine(plani_job_t *job, const plani_placement_t *placement, const char *wanted,
                                         plani_found_machine_t *found, plan_error_t *err)
{
    const plani_machine_t *m = NULL;

    if (job == NULL || !placement->known) return NULL;
    pthread_mutex_lock(&job->lock);
    for (int others = wanted == NULL; others < 2; others++)
        for (size_t i = 0; i < job->nknown && m == NULL && !job->unsure; i++)
            if (others || strcmp(job->known[i].from, wanted) == 0)
                m = try_machine(&job->known[i], placement, found, err);
    if (job->unsure && job->nknown > 0)
        plani_fail(err, PLAN_EMISMATCH, "names do not tell this job's hosts apart; give each one of its own");
    if (m == NULL) plani_job_release(job);
    return m;
}

void plani_job_release(plani_job_t *job)
{
    pthread_mutex_unlock(&job->lock);
}

static int common_hosts(const plani_machine_t *m, const plani_machine_t *fresh, bool *known)
{
    int n = 0;
    for (int h = 0; h < fresh->nhosts; h++) {
        int host = m != NULL ? plani_planner(NULL)->machine_find(m, fresh->host[h].name) : -1;
        known[h] = host >= 0 && !m->host[host].admitted;
        n += known[h];
    }
    return n;
}

plan_status_t plani_job_merge(plani_job_t *job, const plani_machine_t *fresh, bool *known, plani_machine_t **merged)
{
    plan_status_t rc = PLAN_OK;
    plan_error_t ignored;

    *merged = NULL;
    common_hosts(NULL, fresh, known);
    if (job == NULL) return PLAN_OK;
    pthread_mutex_lock(&job->lock);
    for (size_t i = job->nknown; i-- > 0 && *merged == NULL && rc != PLAN_ENOMEM;) {
        read_text(&job->known[i], &ignored);
        if (common_hosts(job->known[i].machine, fresh, known) > 0)
            rc = plani_planner(NULL)->machine_merge(job->known[i].machine, fresh, merged, &ignored);
    }
    pthread_mutex_unlock(&job->lock);
    return rc == PLAN_ENOMEM ? rc : PLAN_OK; /* host names are not unique: there is nothing to merge */
}

/* ---- plans ---- */

/* Hosts of the same kind in the same group are interchangeable, unless paths name single hosts. */
static uint64_t placement_hash(const plani_machine_t *m, const plani_placement_t *placement, const int *host)
{
    uint64_t h = plani_hash_u64(PLANI_HASH_START, (uint64_t)placement->ranks);
    bool single = false;

    for (int i = 0; i < m->npaths; i++) single = single || m->path[i].from_host >= 0 || m->path[i].to_host >= 0;
    for (int r = 0; r < placement->ranks; r++) {
        const plani_machine_host_t *at = &m->host[host[r]];
        h = plani_hash_u64(h, (uint64_t)placement->place[r].host);
        h = plani_hash_u64(h, single ? (uint64_t)host[r] : (uint64_t)at->group);
        h = plani_hash_u64(h, (uint64_t)at->kind);
        for (int l = 0; l < PLANI_LEVELS - 1; l++) h = plani_hash_u64(h, (uint64_t)placement->place[r].place[l]);
    }
    return plani_hash_u64(h, (uint64_t)(uintptr_t)m);
}

uint64_t plani_job_key(plani_job_t *job, const plani_placement_t *placement, const char *wanted, uint64_t wish)
{
    plan_error_t ignored;
    plani_found_machine_t found = {.host = malloc((size_t)placement->ranks * sizeof(int))};
    const plani_machine_t *m = found.host != NULL ? plani_job_machine(job, placement, wanted, &found, &ignored) : NULL;
    uint64_t key = m != NULL ? plani_hash_u64(placement_hash(m, placement, found.host), wish) : 0;

    if (m != NULL) plani_job_release(job);
    free(found.host);
    return key;
}

plan_status_t plani_job_keep(plani_job_t *job, uint64_t key, plan_t *plan)
{
    plan_t *mine = plani_plan_share(plan), *old = NULL;

    if (mine == NULL) return PLAN_ENOMEM;
    pthread_mutex_lock(&job->lock);
    size_t at = job->next++ % PLANS;
    if (at < job->nkept)
        old = job->kept[at].plan;
    else
        job->nkept++;
    job->kept[at] = (kept_t){.key = key, .plan = mine};
    pthread_mutex_unlock(&job->lock);
    plan_destroy(&old);
    return PLAN_OK;
}

uint64_t plani_job_plan_hash(plani_job_t *job, uint64_t key)
{
    uint64_t hash = 0;
    if (key == 0) return 0;
    pthread_mutex_lock(&job->lock);
    for (size_t i = 0; i < job->nkept; i++)
        if (job->kept[i].key == key) hash = plan_data(job->kept[i].plan)->hash;
    pthread_mutex_unlock(&job->lock);
    return hash;
}

plan_t *plani_job_plan(plani_job_t *job, uint64_t hash, int ranks, int root)
{
    plan_t *plan = NULL;
    pthread_mutex_lock(&job->lock);
    for (size_t i = 0; i < job->nkept && plan == NULL; i++) {
        const plan_data_t *d = plan_data(job->kept[i].plan);
        if (d->hash == hash && d->ranks == ranks && d->root == root) plan = plani_plan_share(job->kept[i].plan);
    }
    pthread_mutex_unlock(&job->lock);
    return plan;
}
