/* planbcast predict: the stage models of Nuriyev et al. 2022. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_GAMMA = 4096, FILE_LIMIT = 1 << 20 };

typedef struct {
    plan_taulop_t p;
    double shm[MAX_GAMMA], net[MAX_GAMMA];
} params_t;

static int bad(const cli_t *cli, const char *path, const char *key, const char *mend)
{
    return cli_fail(cli, CLI_USAGE, "%s: %s: %s", path, key, mend);
}

static int read_number(const cli_t *cli, const char *path, const json_t *root, const char *key, double *x)
{
    const json_t *v = json_object_get(root, key);
    if (v == NULL || json_is_null(v)) return CLI_GO;
    if (!json_is_number(v) || !isfinite(json_number_value(v)) || json_number_value(v) < 0)
        return bad(cli, path, key, "must be a number that is not negative");
    *x = json_number_value(v);
    return CLI_GO;
}

static int read_gamma(const cli_t *cli, const char *path, const json_t *root, const char *key, double *into, size_t *n)
{
    const json_t *list = json_object_get(root, key);
    if (list == NULL) return CLI_GO;
    if (!json_is_array(list) || json_array_size(list) > MAX_GAMMA)
        return bad(cli, path, key, "must be an array of at most 4096 factors, the first for 2 processes");
    for (*n = 0; *n < json_array_size(list); ++*n) {
        const json_t *v = json_array_get(list, *n);
        if (!json_is_number(v) || !(json_number_value(v) > 0) || !isfinite(json_number_value(v)))
            return bad(cli, path, key, "every factor must be a positive number");
        into[*n] = json_number_value(v);
    }
    return CLI_GO;
}

static int read_members(const cli_t *cli, const char *path, const json_t *root, params_t *q)
{
    struct {
        const char *key;
        double *x;
    } number[] = {
        {"o_shm", &q->p.o_shm}, {"o_net", &q->p.o_net}, {"L_shm", &q->p.L_shm}, {"L_net", &q->p.L_net}, {"Q", &q->p.Q}};
    int rc = CLI_GO;

    if (!json_is_object(root)) return cli_fail(cli, CLI_USAGE, "%s: must be a JSON object", path);
    for (size_t i = 0; rc == CLI_GO && i < sizeof number / sizeof *number; i++)
        rc = read_number(cli, path, root, number[i].key, number[i].x);
    if (rc == CLI_GO) rc = read_gamma(cli, path, root, "gamma_shm", q->shm, &q->p.ngamma_shm);
    if (rc == CLI_GO) rc = read_gamma(cli, path, root, "gamma_net", q->net, &q->p.ngamma_net);
    if (rc == CLI_GO && q->p.o_net + q->p.L_shm + q->p.L_net + q->p.o_shm <= 0)
        rc = cli_fail(cli, CLI_USAGE, "%s: every cost is zero; give o_shm, o_net, L_shm or L_net", path);
    return rc;
}

static int read_params(const cli_t *cli, const char *path, params_t *q)
{
    plan_error_t err;
    json_error_t where;
    char *text = NULL;
    size_t len;
    plan_status_t status = plani_read_file(path, FILE_LIMIT, &text, &len, &err);
    if (status != PLAN_OK) return cli_fail_status(cli, status, &err);
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
    free(text);
    if (root == NULL) return cli_fail(cli, CLI_USAGE, "%s: line %d: %s", path, where.line, where.text);
    int rc = read_members(cli, path, root, q);
    q->p.gamma_shm = q->shm;
    q->p.gamma_net = q->net;
    json_decref(root);
    return rc;
}

typedef struct {
    int ranks, per_host, root, fanout;
    size_t bytes, segment;
    const char *params, *name;
    bool json;
} settings_t;

static int predict(const cli_t *cli, const settings_t *s)
{
    plan_topology_t kind;
    params_t q = {.p = {0}};
    double seconds;
    int rc;

    if (plan_topology_from_name(s->name, &kind) != PLAN_OK)
        return cli_fail(cli, CLI_USAGE, "predict: unknown topology %s; see planbcast tree --help", s->name);
    if (s->ranks < 0 || s->per_host < 0 || s->params == NULL)
        return cli_fail(cli, CLI_USAGE, "predict: %s is missing",
                        s->ranks < 0      ? "--ranks"
                        : s->per_host < 0 ? "--ranks-per-host"
                                          : "--taulop");
    if (s->root >= s->ranks)
        return cli_fail(cli, CLI_USAGE, "predict: --root %d: give a rank from 0 to %d", s->root, s->ranks - 1);
    if ((rc = read_params(cli, s->params, &q)) != CLI_GO) return rc;
    plan_status_t status =
        plan_predict_taulop(&q.p, kind, s->ranks, s->per_host, s->root, s->fanout, s->bytes, s->segment, &seconds);
    if (status == PLAN_EINVAL) /* all else has been looked at */
        return cli_fail(cli, CLI_USAGE, "predict: %s takes no --fanout %d", s->name, s->fanout);
    if (status != PLAN_OK) return cli_fail_status(cli, status, NULL);
    if (s->json) return cli_print_json(cli, json_pack("{s:f}", "predicted_s", seconds));
    fprintf(cli->out, "%s, %d ranks, %d per host: %s (%.10g s)\n", s->name, s->ranks, s->per_host,
            plani_seconds(seconds).s, seconds);
    return CLI_DONE;
}

int command_predict(const cli_t *cli, int argc, char **argv)
{
    settings_t s = {.ranks = -1, .per_host = -1, .bytes = SIZE_MAX, .segment = SIZE_MAX};
    const cli_option_t option[] = {
        {"ranks", CLI_INT, &s.ranks, 1, 1 << 20, "P", "how many ranks (required)"},
        {"ranks-per-host", CLI_INT, &s.per_host, 1, 1 << 20, "H", "ranks are placed in blocks of H (required)"},
        {"bytes", CLI_SIZE, &s.bytes, 0, 0, "N", "message size (required)"},
        {"segment", CLI_SIZE, &s.segment, 0, 0, "M", "segment size; 0: whole (required)"},
        {"taulop", CLI_TEXT, &s.params, 0, 0, "FILE", "parameters for one segment (required)"},
        {"root", CLI_INT, &s.root, 0, 0, "R", "the root (default 0)"},
        {"fanout", CLI_INT, &s.fanout, 1, 1 << 20, "K", "chains or radix (default: Open MPI's)"},
        {"json", CLI_FLAG, &s.json, 0, 0, NULL, "print {\"predicted_s\": s}"},
    };
    const cli_command_t cmd = {
        "predict",
        "NAME",
        "Predict a broadcast's time by the stage models of Nuriyev et al. 2022.",
        "NAME is a topology of `planbcast tree`. FILE holds\n"
        "  {\"o_shm\", \"o_net\", \"L_shm\", \"L_net\", \"Q\", \"gamma_shm\": [...], \"gamma_net\": [...]}\n"
        "in seconds for one segment; gamma starts at 2 processes. T_p2p^1 = o_net + 2 L_shm + L_net, and\n"
        "T_p2p^0 = T_p2p^1 / Q where Q is given, else o_shm + 2 L_shm.",
        "  planbcast predict binomial --ranks 1000 --ranks-per-host 18 --bytes 4M --segment 8K --taulop gros.json",
        option,
        sizeof option / sizeof *option};
    int rc = cli_parse(cli, &cmd, argc, argv, &s.name, 1);
    if (rc != CLI_GO) return rc;
    if (s.bytes == SIZE_MAX) return cli_fail(cli, CLI_USAGE, "predict: --bytes is missing");
    if (s.segment == SIZE_MAX) return cli_fail(cli, CLI_USAGE, "predict: --segment is missing");
    return predict(cli, &s);
}
