#include "planner/cli/predict_messages.h"
#include "planner/cli/output.h"
#include "lib/base/base.h"
#include "planner/literature/contention_read.h"
#include <math.h>
#include <stdlib.h>

/* The models compare each process with each other; the paper has 8192 at most. */
enum { RATES_LIMIT = 1 << 20, MESSAGES_LIMIT = 1 << 30, MOST_RANKS = 1 << 14 };

typedef struct {
    lit_rates_t rates;
    lit_message_t *message;
    size_t nmessages;
    int *socket, *host; /* [ranks] */
    double *seconds;    /* [ranks] */
} scene_t;

static int read_rates(const cli_t *cli, const char *path, scene_t *s)
{
    plan_error_t err;
    char *text = NULL;
    size_t len;
    plan_status_t status = plani_read_file(path, RATES_LIMIT, &text, &len, &err);

    if (status == PLAN_OK) status = lit_rates_parse(text, len, path, &s->rates, &err);
    free(text);
    return status == PLAN_OK ? CLI_GO : cli_fail_status(cli, status, &err);
}

static int read_messages(const cli_t *cli, const char *path, int ranks, scene_t *s)
{
    plan_error_t err;
    char *text = NULL;
    size_t len;
    plan_status_t status = plani_read_file(path, MESSAGES_LIMIT, &text, &len, &err);

    if (status == PLAN_OK) status = lit_messages_parse(text, len, path, ranks, &s->message, &s->nmessages, &err);
    free(text);
    return status == PLAN_OK ? CLI_GO : cli_fail_status(cli, status, &err);
}

static int place(const cli_t *cli, const cli_messages_t *q, scene_t *s)
{
    int per_host = q->per_host > 0 && q->per_host < q->ranks ? q->per_host : q->ranks;
    int per_socket = q->per_socket > 0 && q->per_socket < per_host ? q->per_socket : per_host;
    int sockets = (per_host + per_socket - 1) / per_socket;

    s->socket = calloc((size_t)q->ranks, sizeof *s->socket);
    s->host = calloc((size_t)q->ranks, sizeof *s->host);
    s->seconds = calloc((size_t)q->ranks, sizeof *s->seconds);
    if (s->socket == NULL || s->host == NULL || s->seconds == NULL) return cli_fail_status(cli, PLAN_ENOMEM, NULL);
    for (int r = 0; r < q->ranks; r++) {
        s->host[r] = r / per_host;
        s->socket[r] = s->host[r] * sockets + r % per_host / per_socket;
    }
    return CLI_GO;
}

/* Each message's level has rates. */
static int check_levels(const cli_t *cli, const cli_messages_t *q, const scene_t *s)
{
    for (size_t i = 0; i < s->nmessages; i++) {
        lit_level_t level = lit_message_level(s->socket, s->host, &s->message[i]);
        if (s->rates.table[level].n == 0)
            return cli_fail(cli, CLI_USAGE, "%s: %s is missing; messages[%zu] of %s needs it", q->rates,
                            lit_level_key[level], i, q->messages);
    }
    return CLI_GO;
}

static int print(const cli_t *cli, const cli_messages_t *q, const scene_t *s)
{
    double last = 0;

    for (int r = 0; r < q->ranks; r++) {
        if (!isfinite(s->seconds[r]))
            return cli_fail(cli, CLI_USAGE, "%s: its numbers lead to no finite time; see planbcast predict --help",
                            q->rates);
        last = fmax(last, s->seconds[r]);
    }
    if (q->json) {
        json_t *ranks = json_array();
        for (int r = 0; r < q->ranks; r++) json_array_append_new(ranks, json_real(s->seconds[r]));
        return cli_print_json(cli, "planbcast-prediction",
                              json_pack("{s:f, s:o}", "predicted_s", last, "ranks_s", ranks));
    }
    fprintf(cli->out, "%zu messages, %d ranks, by %s: %s (%.10g s)\n", s->nmessages, q->ranks,
            lit_contention_name(q->model), plani_seconds(last).s, last);
    for (int r = 0; r < q->ranks; r++) fprintf(cli->out, "  rank %-6d %s\n", r, plani_seconds(s->seconds[r]).s);
    return CLI_DONE;
}

int cli_predict_messages(const cli_t *cli, const cli_messages_t *q)
{
    scene_t s = {.nmessages = 0};
    int rc;

    if (q->ranks < 0 || q->rates == NULL || q->messages == NULL)
        return cli_fail(cli, CLI_USAGE, "predict: %s is missing",
                        q->ranks < 0       ? "--ranks"
                        : q->rates == NULL ? "--network"
                                           : "--messages");
    if (q->ranks > MOST_RANKS)
        return cli_fail(cli, CLI_USAGE, "predict: --ranks %d: give at most %d with --model %s", q->ranks, MOST_RANKS,
                        lit_contention_name(q->model));
    rc = read_rates(cli, q->rates, &s);
    if (rc == CLI_GO) rc = read_messages(cli, q->messages, q->ranks, &s);
    if (rc == CLI_GO) rc = place(cli, q, &s);
    if (rc == CLI_GO) rc = check_levels(cli, q, &s);
    if (rc == CLI_GO) {
        plan_status_t status = lit_predict_messages(q->model, s.rates.table, q->ranks, s.socket, s.host, s.nmessages,
                                                    s.message, s.seconds);
        rc = status == PLAN_OK ? print(cli, q, &s) : cli_fail_status(cli, status, NULL);
    }
    free(s.message);
    free(s.socket);
    free(s.host);
    free(s.seconds);
    return rc;
}
