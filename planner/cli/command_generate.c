/* planbcast generate: random platforms, and those of cluster specs. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include "graphs/machine/cluster.h"
#include "lib/base/base.h"
#include "lib/base/text.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    int ranks;
    double density;
    uint64_t seed;
    const char *out, *ports;
} settings_t;

/* Most links: a file of some gigabytes; larger numbers are probably errors. */
static const double MAX_LINKS = 2e7;

static int write_platform(const cli_t *cli, plan_status_t rc, const plan_error_t *err, plan_platform_t *pf,
                          const char *path)
{
    char *text = NULL;
    int status;
    if (rc == PLAN_OK) rc = plan_platform_to_json(pf, &text);
    status = rc == PLAN_OK ? cli_write(cli, path, text) : cli_fail_status(cli, rc, err);
    free(text);
    plan_platform_destroy(&pf);
    return status;
}

static cli_option_t seed_option(uint64_t *seed)
{
    return (cli_option_t){"seed", CLI_SEED, seed, 0, 0, "S", "same seed, same platform (default 1)"};
}

static int generate_random(const cli_t *cli, int argc, char **argv)
{
    settings_t s = {.ranks = -1, .density = -1, .seed = 1, .ports = "one"};
    const cli_option_t option[] = {
        {"ranks", CLI_INT, &s.ranks, 1, PLAN_MOST_GENERATED_RANKS, "N", "how many ranks (required)"},
        {"density", CLI_REAL, &s.density, 1e-9, 1, "D", "probability of a link between two ranks (required)"},
        {"ports", CLI_TEXT, &s.ports, 0, 0, "MODEL",
         "one (default), one-way (a rank sends or receives), multi (a slice of L bytes keeps its sender u busy for "
         "send_u(L), 80% of the shortest T_uw(L)), multi-receive (and its receiver v for 20% of the shortest T_wv(L))"},
        seed_option(&s.seed),
        cli_out(&s.out),
    };
    const cli_command_t cmd = {"generate random",
                               "",
                               "A random platform by Table 2 of Beaumont, Marchal, Robert 2004.",
                               NULL,
                               "  planbcast generate random --ranks 30 --density 0.12 --seed 7 -o random.json",
                               option,
                               sizeof option / sizeof *option};
    plan_platform_t *pf = NULL;
    int rc = cli_parse(cli, &cmd, argc, argv, NULL, 0);
    if (rc != CLI_GO) return rc;
    if (s.ranks < 0) return cli_fail(cli, CLI_USAGE, "generate random: --ranks is missing");
    if (s.density < 0) return cli_fail(cli, CLI_USAGE, "generate random: --density is missing");
    if (s.density * s.ranks * s.ranks > MAX_LINKS)
        return cli_fail(cli, CLI_USAGE,
                        "generate random: would have about %.3g links; at most %.3g, by fewer --ranks or "
                        "--density",
                        s.density * s.ranks * s.ranks, MAX_LINKS);
    bool receive = strcmp(s.ports, "multi-receive") == 0, one_way = strcmp(s.ports, "one-way") == 0;
    bool multi = receive || strcmp(s.ports, "multi") == 0;
    if (!multi && !one_way && strcmp(s.ports, "one") != 0)
        return cli_fail(cli, CLI_USAGE, "generate random: --ports %s: give one, one-way, multi or multi-receive",
                        s.ports);
    plan_status_t status = plan_generate_random(s.ranks, s.density, s.seed, &pf);
    if ((multi || one_way) && status == PLAN_OK) {
        plan_platform_t *one = pf;
        pf = NULL;
        status = plan_generate_ports(one, multi ? PLAN_PORTS_MULTI : PLAN_PORTS_ONE_WAY, receive, &pf);
        plan_platform_destroy(&one);
    }
    return write_platform(cli, status, NULL, pf, s.out);
}

static int generate_tiers(const cli_t *cli, int argc, char **argv)
{
    settings_t s = {.ranks = -1, .seed = 1};
    const cli_option_t option[] = {
        {"ranks", CLI_INT, &s.ranks, 4, PLAN_MOST_GENERATED_RANKS, "N",
         "how many ranks (required; the paper has 30 and 65)"},
        seed_option(&s.seed),
        cli_out(&s.out),
    };
    const cli_command_t cmd = {"generate tiers",
                               "",
                               "A platform of WAN, MAN and LAN levels, in the manner of Tiers.",
                               NULL,
                               "  planbcast generate tiers --ranks 65 --seed 3 -o tiers.json",
                               option,
                               sizeof option / sizeof *option};
    plan_platform_t *pf = NULL;
    int rc = cli_parse(cli, &cmd, argc, argv, NULL, 0);
    if (rc != CLI_GO) return rc;
    if (s.ranks < 0) return cli_fail(cli, CLI_USAGE, "generate tiers: --ranks is missing");
    plan_status_t status = plan_generate_tiers(s.ranks, s.seed, &pf);
    return write_platform(cli, status, NULL, pf, s.out);
}

/* The host of every rank, one per line. */
static plan_status_t list_hosts(const plani_cluster_t *c, char **text)
{
    plani_text_t t = {0};
    for (int r = 0; r < c->ranks; r++) plani_text_add(&t, "%s\n", c->host[c->host_of[r]].name);
    return plani_text_take(&t, text);
}

/* Write the placement or layout of a cluster, without its links, of which large clusters have many. */
static int write_placement(const cli_t *cli, const char *spec,
                           plan_status_t (*form)(const plani_cluster_t *c, char **text), const char *path)
{
    plani_cluster_t *cluster = NULL;
    plan_error_t err = {PLAN_OK, ""};
    char *text = NULL;

    plan_status_t rc = plani_cluster_load(spec, &cluster, &err);
    if (rc == PLAN_OK && (rc = form(cluster, &text)) != PLAN_OK) plani_fail(&err, rc, "%s: out of memory", spec);
    int status = rc == PLAN_OK ? cli_write(cli, path, text) : cli_fail_status(cli, rc, &err);
    free(text);
    plani_cluster_destroy(&cluster);
    return status;
}

static int generate_sites(const cli_t *cli, int argc, char **argv)
{
    const char *spec, *out = NULL;
    bool hostfile = false, layout = false;
    const cli_option_t option[] = {
        {"hostfile", CLI_FLAG, &hostfile, 0, 0, NULL, "write the host of every rank instead, one per line"},
        {"layout", CLI_FLAG, &layout, 0, 0, NULL,
         "write groups, hosts and the host of every rank instead, without links"},
        cli_out(&out),
    };
    const cli_command_t cmd = {"generate sites",
                               "SPEC.json",
                               "The platform of a cluster described by sites, trunks, hosts and cards.",
                               "The description is explained in bench/clusters/README.md.",
                               "  planbcast generate sites bench/clusters/three-sites.json -o three-sites.json",
                               option,
                               sizeof option / sizeof *option};
    plan_platform_t *pf = NULL;
    plan_error_t err = {PLAN_OK, ""};
    int rc = cli_parse(cli, &cmd, argc, argv, &spec, 1);
    if (rc != CLI_GO) return rc;
    if (hostfile && layout) return cli_fail(cli, CLI_USAGE, "generate sites: give --hostfile or --layout, not both");
    if (hostfile || layout) return write_placement(cli, spec, layout ? plani_cluster_layout : list_hosts, out);
    plan_status_t status = plan_generate_sites(spec, &pf, &err);
    return write_platform(cli, status, &err, pf, out);
}

int command_generate(const cli_t *cli, int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "random") == 0) return generate_random(cli, argc - 1, argv + 1);
    if (strcmp(kind, "tiers") == 0) return generate_tiers(cli, argc - 1, argv + 1);
    if (strcmp(kind, "sites") == 0) return generate_sites(cli, argc - 1, argv + 1);
    if (strcmp(kind, "--help") == 0 || strcmp(kind, "-h") == 0) {
        fprintf(cli->out,
                "usage: planbcast generate random|tiers|sites [OPTION]...\n\n"
                "Generate a platform. `planbcast generate KIND --help` lists the options of a kind.\n\nexamples:\n"
                "  planbcast generate random --ranks 30 --density 0.12 --seed 7 -o random.json\n"
                "  planbcast generate tiers --ranks 65 -o tiers.json\n"
                "  planbcast generate sites bench/clusters/three-sites.json -o three-sites.json\n");
        return CLI_DONE;
    }
    if (kind[0] == '\0') return cli_fail(cli, CLI_USAGE, "generate: no kind given; choose random, tiers or sites");
    return cli_fail(cli, CLI_USAGE, "generate: unknown kind %s; one of random, tiers, sites", kind);
}
