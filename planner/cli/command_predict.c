/* planbcast predict: the stage models of Nuriyev et al. 2022, and those of Pjesivac-Grbovic et al. 2007 and of Thune et
 * al. 2023 beside them. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include "planner/cli/predict_messages.h"
#include "graphs/platform/json.h"
#include "lib/base/base.h"
#include "planner/literature/models.h"
#include "planner/literature/taulop_read.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 20, PLATFORM_LIMIT = 1 << 30 };

typedef struct {
    lit_taulop_t p;
    lit_gamma_t gamma;
} params_t;

static int read_params(const cli_t *cli, const char *path, params_t *q)
{
    plan_error_t err;
    plani_json_t doc;
    char *text = NULL;
    size_t len;
    plan_status_t status = plani_read_file(path, FILE_LIMIT, &text, &len, &err);
    if (status != PLAN_OK) return cli_fail_status(cli, status, &err);
    status = plani_json_load(text, len, path, &err, &doc);
    free(text);
    if (status != PLAN_OK) return cli_fail_status(cli, status, &err);
    status = lit_taulop_read_shared(&doc, &q->gamma, &q->p);
    if (status == PLAN_OK) status = lit_taulop_read_costs(&doc, &q->p);
    plani_json_close(&doc);
    return status == PLAN_OK ? CLI_GO : cli_fail_status(cli, status, &err);
}

typedef struct {
    int ranks, per_host, per_socket, root, fanout;
    size_t bytes, segment;
    const char *params, *name, *messages;
    const char *model, *collective, *network, *channel;
    bool json;
} settings_t;

static int print_time(const cli_t *cli, const settings_t *s, double seconds, const char *what)
{
    if (!isfinite(seconds))
        return cli_fail(cli, CLI_USAGE, "%s: its numbers lead to no finite time; see planbcast predict --help",
                        s->params != NULL ? s->params : s->network);
    if (s->json) return cli_print_json(cli, "planbcast-prediction", json_pack("{s:f}", "predicted_s", seconds));
    fprintf(cli->out, "%s, %d ranks, %s: %s (%.10g s)\n", s->name, s->ranks, what, plani_seconds(seconds).s, seconds);
    return CLI_DONE;
}

/* The named channel class, else the last one with a ladder. */
static int from_platform(const cli_t *cli, const settings_t *s, lit_network_owned_t **w)
{
    plan_platform_t *pf = NULL;
    plan_error_t err;
    plan_status_t status = plan_platform_load(s->network, &pf, &err);
    if (status != PLAN_OK) return cli_fail_status(cli, status, &err);
    const plan_platform_data_t *d = plan_platform_data(pf);
    const plan_channel_t *found = NULL;
    for (size_t c = 0; c < d->nchannels; c++)
        if (d->channel[c].nsizes > 0 && (s->channel == NULL || strcmp(d->channel[c].name, s->channel) == 0))
            found = &d->channel[c];
    int rc = CLI_GO;
    if (found == NULL)
        rc = cli_fail(cli, CLI_USAGE, "%s: no measured channel class%s%s; see planbcast show", s->network,
                      s->channel != NULL ? " is called " : "", s->channel != NULL ? s->channel : "");
    else if ((status = lit_network_from_channel(found, w)) != PLAN_OK)
        rc = cli_fail_status(cli, status, NULL);
    plan_platform_destroy(&pf);
    return rc;
}

/* A file of parameters, or a platform or profile with measured classes. */
static int read_network(const cli_t *cli, const settings_t *s, lit_network_owned_t **w)
{
    plan_error_t err;
    plani_json_t doc;
    char *text = NULL;
    size_t len;
    int rc = CLI_GO;
    plan_status_t status = plani_read_file(s->network, PLATFORM_LIMIT, &text, &len, &err);
    if (status != PLAN_OK) return cli_fail_status(cli, status, &err);
    if ((status = plani_json_load(text, len, s->network, &err, &doc)) == PLAN_OK) {
        bool platform =
            plani_json_is_format(&doc, "planbcast-platform") || plani_json_is_format(&doc, "planbcast-profile");
        plani_json_close(&doc);
        if (platform)
            rc = from_platform(cli, s, w);
        else if (s->channel != NULL)
            rc = cli_fail(cli, CLI_USAGE, "%s: has no channel classes; leave --channel out", s->network);
        else
            status = lit_network_parse(text, len, s->network, w, &err);
    }
    free(text);
    return status != PLAN_OK ? cli_fail_status(cli, status, &err) : rc;
}

static int predict_network(const cli_t *cli, const settings_t *s)
{
    lit_model_t model;
    lit_collective_t collective;
    lit_network_owned_t *w = NULL;
    double seconds = 0;
    char what[80];
    int rc;

    if (lit_model_from_name(s->model, &model) != PLAN_OK)
        return cli_fail(cli, CLI_USAGE,
                        "predict: --model %.40s; known: taulop, hockney, loggp, plogp, postal, max-rate, staircase",
                        s->model);
    if (lit_collective_from_name(s->collective, &collective) != PLAN_OK)
        return cli_fail(cli, CLI_USAGE, "predict: --collective %.40s; known: barrier, broadcast, reduce, alltoall",
                        s->collective);
    if (s->ranks < 0 || s->network == NULL)
        return cli_fail(cli, CLI_USAGE, "predict: %s is missing", s->ranks < 0 ? "--ranks" : "--network");
    if ((rc = read_network(cli, s, &w)) != CLI_GO) return rc;
    plan_status_t status =
        lit_predict_collective(lit_network(w), model, collective, s->name, s->ranks, s->bytes, s->segment, &seconds);
    lit_network_destroy(&w);
    if (status == PLAN_EINVAL) /* all other arguments have been checked */
        return cli_fail(cli, CLI_USAGE, "predict: no algorithm of %s is called %.40s; see planbcast predict --help",
                        s->collective, s->name);
    if (status != PLAN_OK) return cli_fail_status(cli, status, NULL);
    snprintf(what, sizeof what, "%s by %s", s->collective, s->model);
    return print_time(cli, s, seconds, what);
}

static int predict_taulop(const cli_t *cli, const settings_t *s)
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
    int root = s->root < 0 ? 0 : s->root;
    if (root >= s->ranks)
        return cli_fail(cli, CLI_USAGE, "predict: --root %d: give a rank from 0 to %d", root, s->ranks - 1);
    if ((rc = read_params(cli, s->params, &q)) != CLI_GO) return rc;
    plan_status_t status =
        lit_predict_taulop(&q.p, kind, s->ranks, s->per_host, root, s->fanout, s->bytes, s->segment, &seconds);
    if (status == PLAN_EINVAL) /* all other arguments have been checked */
        return cli_fail(cli, CLI_USAGE, "predict: %s takes no --fanout %d", s->name, s->fanout);
    if (status != PLAN_OK) return cli_fail_status(cli, status, NULL);
    char what[40];
    snprintf(what, sizeof what, "%d per host", s->per_host);
    return print_time(cli, s, seconds, what);
}

static int predict_messages(const cli_t *cli, const settings_t *s, lit_contention_t model)
{
    const cli_messages_t request = {model, s->ranks, s->per_host, s->per_socket, s->network, s->messages, s->json};

    if (strcmp(s->name, "messages") != 0)
        return cli_fail(cli, CLI_USAGE, "predict: --model %s predicts \"messages\", not %.40s", s->model, s->name);
    return cli_predict_messages(cli, &request);
}

static bool is_of_messages(const settings_t *s, lit_contention_t *model)
{
    return lit_contention_from_name(s->model, model) == PLAN_OK;
}

/* A given option that the models of messages do not use, or NULL. */
static const char *idle_for_messages(const settings_t *s)
{
    return s->params != NULL                         ? "taulop"
           : s->channel != NULL                      ? "channel"
           : s->root >= 0                            ? "root"
           : s->fanout > 0                           ? "fanout"
           : s->bytes != SIZE_MAX                    ? "bytes"
           : s->segment != SIZE_MAX                  ? "segment"
           : strcmp(s->collective, "broadcast") != 0 ? "collective"
                                                     : NULL;
}

/* A given option that the chosen model does not use, or NULL. */
static const char *idle_option(const settings_t *s)
{
    lit_contention_t model;
    if (is_of_messages(s, &model)) return idle_for_messages(s);
    if (s->messages != NULL) return "messages";
    if (s->per_socket >= 0) return "ranks-per-socket";
    if (strcmp(s->model, "taulop") == 0)
        return s->network != NULL                        ? "network"
               : s->channel != NULL                      ? "channel"
               : strcmp(s->collective, "broadcast") != 0 ? "collective"
                                                         : NULL;
    if (s->params != NULL) return "taulop";
    if (s->root >= 0) return "root";
    return s->per_host >= 0 ? "ranks-per-host" : s->fanout > 0 ? "fanout" : NULL;
}

int command_predict(const cli_t *cli, int argc, char **argv)
{
    settings_t s = {.ranks = -1,
                    .per_host = -1,
                    .per_socket = -1,
                    .root = -1,
                    .bytes = SIZE_MAX,
                    .segment = SIZE_MAX,
                    .model = "taulop",
                    .collective = "broadcast"};
    const cli_option_t option[] = {
        cli_ranks(&s.ranks),
        {"ranks-per-host", CLI_INT, &s.per_host, 1, 1 << 20, "H", "ranks are placed in blocks of H (taulop: required)"},
        {"ranks-per-socket", CLI_INT, &s.per_socket, 1, 1 << 20, "S",
         "of messages: in blocks of S within a host (default: one socket)"},
        {"bytes", CLI_SIZE, &s.bytes, 0, 0, "N", "message size (required, but of messages)"},
        {"segment", CLI_SIZE, &s.segment, 0, 0, "M", "segment size; 0: whole (required, but of messages)"},
        {"model", CLI_TEXT, &s.model, 0, 0, "NAME",
         "taulop (default), hockney, loggp or plogp; of messages: postal, max-rate or staircase"},
        {"taulop", CLI_TEXT, &s.params, 0, 0, "FILE", "parameters of taulop, for one segment (required with it)"},
        {"network", CLI_TEXT, &s.network, 0, 0, "FILE", "parameters of the other models, or a measured profile"},
        {"channel", CLI_TEXT, &s.channel, 0, 0, "NAME", "channel class of a profile (default: its last)"},
        {"messages", CLI_TEXT, &s.messages, 0, 0, "FILE",
         "which messages are sent at once (required with their models)"},
        {"collective", CLI_TEXT, &s.collective, 0, 0, "NAME",
         "with hockney, loggp, plogp: broadcast (default), barrier, reduce, alltoall"},
        cli_root(&s.root),
        {"fanout", CLI_INT, &s.fanout, 1, 1 << 20, "K", "chains or radix (default: Open MPI's)"},
        {"json", CLI_FLAG, &s.json, 0, 0, NULL, "print {\"predicted_s\": s}; of messages also \"ranks_s\""},
    };
    const cli_command_t cmd = {
        "predict",
        "NAME",
        "Predict a collective's time by the models of the literature.",
        "taulop: the stage models of Nuriyev et al. 2022. NAME is a topology of `planbcast tree`; its FILE holds\n"
        "  {\"o_shm\", \"o_net\", \"L_shm\", \"L_net\", \"Q\", \"gamma_shm\": [...], \"gamma_net\": [...]}\n"
        "in seconds for one segment; gamma starts at 2 processes. T_p2p^1 = o_net + 2 L_shm + L_net, and\n"
        "T_p2p^0 = T_p2p^1 / Q where Q is given, else o_shm + 2 L_shm.\n"
        "hockney, loggp, plogp: Tables 1-4 of Pjesivac-Grbovic et al. 2007. NAME is, for a\n"
        "  broadcast  linear pipeline binomial binary split_binary\n"
        "  barrier    linear double_ring recursive_doubling bruck\n"
        "  reduce     linear pipeline binomial binary\n"
        "  alltoall   linear pairwise (of N bytes for each pair)\n"
        "Their FILE is a profile, or holds, in seconds and seconds per byte (gamma: to combine a byte),\n"
        "  {\"loggp\": {\"L\", \"o\", \"g\", \"G\"}, \"gamma\": 0, \"plogp\": {\"L\", \"bytes\": [...], \"os\", "
        "\"or\", \"g\"},\n"
        "   \"hockney\": {\"bytes\": [...], \"alpha\", \"beta\"}}; the last three may be left out.\n"
        "postal, max-rate, staircase: many messages at once, by Thune et al. 2023. NAME is messages; --messages holds\n"
        "  {\"messages\": [[FROM, TO, BYTES], ...]}\n"
        "and --network the total bandwidth of 1, 2, ... ranks that receive at once, of a socket or a host, as\n"
        "bench_pairs measures it:\n"
        "  {\"intra_socket\": {\"tau\": 0, \"receivers\": [1, ...], \"bytes_per_s\": [...]},\n"
        "   \"inter_socket\": {...}, \"inter_host\": {...}}; what no message crosses may be left out.",
        "  planbcast predict binomial --ranks 1000 --ranks-per-host 18 --bytes 4M --segment 8K --taulop gros.json\n"
        "  planbcast predict binomial --model loggp --collective reduce --ranks 24 --bytes 1M --segment 1K"
        " --network frodo.json\n"
        "  planbcast predict messages --model staircase --ranks 48 --ranks-per-socket 24 --network thunderx2.json"
        " --messages halo.json",
        option,
        sizeof option / sizeof *option};
    lit_contention_t messages;
    int rc = cli_parse(cli, &cmd, argc, argv, &s.name, 1);
    if (rc != CLI_GO) return rc;
    const char *idle = idle_option(&s);
    if (idle != NULL)
        return cli_fail(cli, CLI_USAGE, "predict: --%s%s%.40s is for another --model than %.40s", idle,
                        strcmp(idle, "collective") == 0 ? " " : "", strcmp(idle, "collective") == 0 ? s.collective : "",
                        s.model);
    if (is_of_messages(&s, &messages)) return predict_messages(cli, &s, messages);
    if (strcmp(s.collective, "barrier") == 0) s.bytes = s.segment = 0;
    if (s.bytes == SIZE_MAX) return cli_fail(cli, CLI_USAGE, "predict: --bytes is missing");
    if (s.segment == SIZE_MAX) return cli_fail(cli, CLI_USAGE, "predict: --segment is missing");
    return strcmp(s.model, "taulop") == 0 ? predict_taulop(cli, &s) : predict_network(cli, &s);
}
