#include "published.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

const plan_topology_t algorithm[ALGORITHMS] = {PLAN_LINEAR,       PLAN_CHAIN,  PLAN_PIPELINE,
                                               PLAN_SPLIT_BINARY, PLAN_BINARY, PLAN_BINOMIAL};
/* Section 6.1: two CPUs of 8 cores, one of 18, two of 24. */
static const cluster_t known[CLUSTERS] = {{.name = "grisou", .ranks_per_host = 16},
                                          {.name = "gros", .ranks_per_host = 18},
                                          {.name = "marenostrum4", .ranks_per_host = 48}};

static size_t numbers(const json_t *list, double *into)
{
    size_t n = json_array_size(list);
    if (n > MOST_GAMMAS) n = MOST_GAMMAS;
    for (size_t i = 0; i < n; i++) into[i] = json_number_value(json_array_get(list, i));
    return n;
}

static int row_read(const char *path, row_t *r)
{
    json_error_t e;
    json_t *j = json_load_file(path, 0, &e);
    if (j == NULL) {
        fprintf(stderr, "%s: line %d: %s\n", path, e.line, e.text);
        return 0;
    }
    r->taulop = (lit_taulop_t){.o_shm = json_number_value(json_object_get(j, "o_shm")),
                               .o_net = json_number_value(json_object_get(j, "o_net")),
                               .L_shm = json_number_value(json_object_get(j, "L_shm")),
                               .L_net = json_number_value(json_object_get(j, "L_net")),
                               .Q = json_number_value(json_object_get(j, "Q")),
                               .gamma_shm = r->shm,
                               .gamma_net = r->net};
    r->taulop.ngamma_shm = numbers(json_object_get(j, "gamma_shm"), r->shm);
    r->taulop.ngamma_net = numbers(json_object_get(j, "gamma_net"), r->net);
    json_decref(j);
    return 1;
}

static int index_of(const char *name)
{
    for (int a = 0; a < ALGORITHMS; a++)
        if (strcmp(plan_topology_name(algorithm[a]), name) == 0) return a;
    return -1;
}

static int cell_read(const char *line, published_t *p)
{
    char cluster[32], best[32], model[32], native[32];
    cell_t *c = &p->cell[p->ncells];
    if (sscanf(line, "%31s %d %zu %31s %31s %d %31s %d", cluster, &c->ranks, &c->bytes, best, model, &c->model_penalty,
               native, &c->native_penalty) != 8)
        return 0;
    c->bytes <<= 10;
    for (c->cluster = 0; c->cluster < CLUSTERS && strcmp(known[c->cluster].name, cluster) != 0;) c->cluster++;
    c->best = index_of(best), c->model = index_of(model), c->native = index_of(native);
    p->ncells++;
    return c->cluster < CLUSTERS && c->best >= 0 && c->model >= 0 && c->native >= 0 && p->ncells < MOST_CELLS;
}

static int equation_read(const char *line, equation_t *e)
{
    int n = sscanf(line, "%zu %lf %lf %lf %lf", &e->bytes, &e->o_net, &e->L_shm, &e->L_net, &e->seconds);
    e->bytes <<= 10;
    return n == 5;
}

static int tables_read(const char *folder, published_t *p)
{
    static const char *const name[] = {"table3.tsv", "equation20.tsv"};
    for (int i = 0; i < 2; i++) {
        char path[4096], line[256];
        int n = 0, good = 1;
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        FILE *f = fopen(path, "r");
        while (f != NULL && good && fgets(line, sizeof line, f) != NULL) {
            if (line[0] == '#') continue;
            good = i == 0 ? cell_read(line, p) : n < EQUATIONS && equation_read(line, &p->equation[n]);
            n++;
        }
        if (f != NULL) fclose(f);
        if (f == NULL || !good || (i == 1 && n != EQUATIONS)) {
            fprintf(stderr, "%s: is missing, or line %d is not as it should be\n", path, n);
            return 0;
        }
    }
    return 1;
}

int published_read(const char *folder, published_t *p)
{
    memset(p, 0, sizeof *p);
    for (int c = 0; c < CLUSTERS; c++) {
        p->cluster[c].name = known[c].name, p->cluster[c].ranks_per_host = known[c].ranks_per_host;
        for (int a = 0; a < ALGORITHMS; a++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s/%s.json", folder, known[c].name, plan_topology_name(algorithm[a]));
            if (!row_read(path, &p->cluster[c].row[a])) return 0;
        }
    }
    return tables_read(folder, p);
}
