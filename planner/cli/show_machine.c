/* planbcast show of a machine: groups, kinds and hosts; what limits a broadcast, slowest first; where it is from. */
#include "planner/cli/show_machine.h"
#include "planner/cli/output.h"
#include "planner/report/limits.h"
#include "lib/base/text.h"
#include <stdlib.h>
#include <string.h>

enum { LINES = 64 }; /* of a table; --json has all */

/* ---- hosts ---- */

/* The hosts of a group (-1: any) and kind (-1: any) as a list, which the caller frees; NULL: out of memory. */
static char *hosts_of(const plani_machine_t *m, int group, int kind, size_t *n)
{
    const char **name = malloc(((size_t)m->nhosts + 1) * sizeof *name);
    char *list = NULL;

    *n = 0;
    for (int h = 0; h < m->nhosts && name != NULL; h++)
        if ((group < 0 || m->host[h].group == group) && (kind < 0 || m->host[h].kind == kind))
            name[(*n)++] = m->host[h].name;
    if (name != NULL) list = plani_host_list_of(*n, name);
    free(name);
    return list;
}

/* For a table: without control characters, and cut off. */
static void print_list(FILE *out, const char *list)
{
    enum { MOST = 60 };
    size_t n = 0;

    for (; n < MOST && list[n] != '\0'; n++)
        fputc((unsigned char)list[n] < ' ' || list[n] == 0x7f ? '?' : list[n], out);
    if (list[n] != '\0') fputs("...", out);
}

/* ---- as tables ---- */

static const char *within(plani_quantity_t (*unit)(double), plani_ends_t ends, char text[80])
{
    snprintf(text, 80, "-");
    if (ends.high > 0) snprintf(text, 80, "%s to %s", unit(ends.low).s, unit(ends.high).s);
    return text;
}

static plani_quantity_t rate(double bytes_per_s)
{
    return bytes_per_s > 0 ? plani_rate(bytes_per_s) : (plani_quantity_t){"-"};
}

static void print_more(FILE *out, int n)
{
    if (n > LINES) fprintf(out, "  ... and %d more\n", n - LINES);
}

/* "n[1-4] (fast), login (slow)" of the hosts of a group itself. */
static bool print_group_hosts(FILE *out, const plani_machine_t *m, int group)
{
    bool first = true;
    char name[40];

    for (int k = 0; k < m->nkinds; k++) {
        size_t n;
        char *list = hosts_of(m, group, k, &n);
        if (list == NULL) return false;
        if (n > 0) {
            fputs(first ? "  " : ", ", out);
            print_list(out, list);
            fprintf(out, " (%s)", cli_name(m->kind[k].name, name));
            first = false;
        }
        free(list);
    }
    fputc('\n', out);
    return true;
}

static bool print_groups(FILE *out, const plani_machine_t *m)
{
    char name[40], line[80];

    fprintf(out, "\n  %-30s %12s %12s  %s\n", "group", "trunk out", "trunk in", "hosts (kind)");
    for (int g = 0; g < m->ngroups && g < LINES; g++) {
        const plani_machine_group_t *group = &m->group[g];
        int depth = 0;
        for (int above = group->above; above >= 0; above = m->group[above].above) depth++;
        snprintf(line, sizeof line, "%*s%s", 2 * depth, "", cli_name(group->name, name));
        fprintf(out, "  %-30s %12s %12s", line, rate(group->out.bytes_per_s).s, rate(group->in.bytes_per_s).s);
        if (!print_group_hosts(out, m, g)) return false;
    }
    print_more(out, m->ngroups);
    return true;
}

static bool print_kinds(FILE *out, const plani_machine_t *m)
{
    char name[40];

    fprintf(out, "\n  %-30s %12s %12s  %5s  %s\n", "kind", "card out", "card in", "hosts", "by hwloc");
    for (int k = 0; k < m->nkinds && k < LINES; k++) {
        const plani_machine_kind_t *kind = &m->kind[k];
        size_t n;
        char *list = hosts_of(m, -1, k, &n);
        if (list == NULL) return false;
        free(list);
        fprintf(out, "  %-30s %12s %12s  %5zu  ", cli_name(kind->name, name), rate(kind->out.bytes_per_s).s,
                rate(kind->in.bytes_per_s).s, n);
        print_list(out, kind->signature[0] != '\0' ? kind->signature : "-");
        fprintf(out, "%s\n", kind->half_duplex ? "; half duplex" : "");
    }
    print_more(out, m->nkinds);
    return true;
}

static void print_limits(FILE *out, const plani_limits_t *l)
{
    char text[80];

    if (l->n > 0) fprintf(out, "\n  %-50s %12s  %s\n", "slowest first", "bandwidth", "interval of its runs");
    int printed = 0;
    for (int i = 0; i < l->n; i++) {
        if (i >= LINES && !l->at[i].trunk) continue;
        fprintf(out, "  %-50s %12s  %s\n", l->at[i].what, plani_rate(l->at[i].bytes_per_s).s,
                l->at[i].guess ? "not measured: a guess" : within(plani_rate, l->at[i].interval, text));
        printed++;
    }
    if (printed < l->n) fprintf(out, "  ... and %d more, none of them slower\n", l->n - printed);
}

static plani_ends_t inverse(plani_ends_t x)
{
    return x.low > 0 ? (plani_ends_t){1 / x.high, 1 / x.low} : (plani_ends_t){0, 0};
}

static void print_channels(FILE *out, const plani_machine_t *m)
{
    char name[40], latency[80], bandwidth[80];

    if (m->nchannels > 0)
        fprintf(out, "\n  %-22s %9s  %-20s %11s  %s\n", "channel class", "latency", "interval", "bandwidth",
                "interval");
    for (int c = 0; c < m->nchannels && c < LINES; c++) {
        const plani_machine_channel_t *ch = &m->channel[c];
        fprintf(out, "  %-22s %9s  %-20s %11s  %s\n", cli_name(ch->ladder.name, name), plani_seconds(ch->latency_s).s,
                within(plani_seconds, ch->latency_interval, latency),
                ch->s_per_byte > 0 ? plani_rate(1 / ch->s_per_byte).s : "-",
                within(plani_rate, inverse(ch->byte_interval), bandwidth));
    }
    print_more(out, m->nchannels);
}

/* "measured 2026-11-24T00:12:00Z by planbcast 0.9 with Open MPI 4.1.4 on 16 ranks in 8.2 s", as far as it says so. */
static void print_source(FILE *out, const json_t *p)
{
    static const char *const word[] = {"date", "planbcast", "mpi"}, *const before[] = {"", "by planbcast ", "with "};
    const json_t *ranks = json_object_get(p, "ranks");
    double seconds = json_number_value(json_object_get(p, "seconds"));

    if (json_object_get(p, "date") == NULL) {
        fprintf(out, "  not measured by planbcast: see --json\n");
        return;
    }
    fprintf(out, "  measured");
    for (int i = 0; i < 3; i++) {
        const char *value = json_string_value(json_object_get(p, word[i]));
        if (value == NULL) continue;
        fprintf(out, " %s", before[i]);
        print_list(out, value);
    }
    if (json_is_integer(ranks)) fprintf(out, " on %lld ranks", (long long)json_integer_value(ranks));
    if (seconds > 0) fprintf(out, " in %s", plani_seconds(seconds).s);
    fprintf(out, "\n");
}

static void print_provenance(FILE *out, const json_t *p)
{
    const json_t *merged = json_object_get(p, "merged");

    fprintf(out, "\n");
    if (p == NULL) {
        fprintf(out, "  The file does not say where its figures come from.\n");
        return;
    }
    print_source(out, p);
    for (size_t i = 0; i < json_array_size(merged); i++) print_source(out, json_array_get(merged, i));
    cli_print_validation(out, p);
}

static bool as_tables(FILE *out, const plani_machine_t *m, const plani_limits_t *l)
{
    char name[40];

    fprintf(out, "machine%s%s: %d host%s of %d kind%s in %d group%s\n", m->name[0] != '\0' ? " " : "",
            cli_name(m->name, name), m->nhosts, m->nhosts == 1 ? "" : "s", m->nkinds, m->nkinds == 1 ? "" : "s",
            m->ngroups, m->ngroups == 1 ? "" : "s");
    if (!print_groups(out, m) || !print_kinds(out, m)) return false;
    print_limits(out, l);
    print_channels(out, m);
    print_provenance(out, m->provenance);
    return true;
}

/* ---- as JSON ---- */

static void put_interval(json_t *to, const char *key, plani_ends_t ends)
{
    if (ends.high > 0) json_object_set_new(to, key, json_pack("[f, f]", ends.low, ends.high));
}

static json_t *json_groups(const plani_machine_t *m)
{
    json_t *all = json_array();

    for (int g = 0; g < m->ngroups; g++) {
        const plani_machine_group_t *group = &m->group[g];
        size_t n;
        char *list = hosts_of(m, g, -1, &n);
        json_t *one = json_pack("{s:s, s:s, s:i}", "name", group->name, "hosts", list, "part", group->part);
        if (group->above >= 0) json_object_set_new(one, "above", json_string(m->group[group->above].name));
        json_array_append_new(all, one);
        free(list);
    }
    return all;
}

static json_t *json_kinds(const plani_machine_t *m)
{
    json_t *all = json_array();

    for (int k = 0; k < m->nkinds; k++) {
        size_t n;
        char *list = hosts_of(m, -1, k, &n);
        json_array_append_new(all, json_pack("{s:s, s:s, s:I, s:s, s:b}", "name", m->kind[k].name, "hosts", list,
                                             "number", (json_int_t)n, "signature", m->kind[k].signature, "half_duplex",
                                             m->kind[k].half_duplex));
        free(list);
    }
    return all;
}

static json_t *json_limits(const plani_limits_t *l)
{
    json_t *all = json_array();

    for (int i = 0; i < l->n; i++) {
        json_t *one = json_pack("{s:s, s:f}", "of", l->at[i].what, "bytes_per_s", l->at[i].bytes_per_s);
        put_interval(one, "bytes_per_s_interval", l->at[i].interval);
        if (l->at[i].guess) json_object_set_new(one, "guess", json_true());
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *json_channels(const plani_machine_t *m)
{
    json_t *all = json_array();

    for (int c = 0; c < m->nchannels; c++) {
        const plani_machine_channel_t *ch = &m->channel[c];
        json_t *one = json_pack("{s:s, s:f, s:f}", "name", ch->ladder.name, "latency_s", ch->latency_s, "s_per_byte",
                                ch->s_per_byte);
        put_interval(one, "latency_s_interval", ch->latency_interval);
        put_interval(one, "s_per_byte_interval", ch->byte_interval);
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *as_json(const plani_machine_t *m, const plani_limits_t *l)
{
    json_t *tried = json_object_get(m->provenance, "validation");
    json_t *all =
        json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "name", m->name, "hosts", m->nhosts, "groups", json_groups(m),
                  "kinds", json_kinds(m), "rates", json_limits(l), "channels", json_channels(m));

    if (json_array_size(tried) > 0)
        json_object_set_new(all, "validation_error", json_real(plani_validation_error(tried)));
    if (m->provenance != NULL) json_object_set(all, "provenance", m->provenance);
    return all;
}

int cli_show_machine(const cli_t *cli, const plani_machine_t *m, bool json)
{
    plani_limits_t l;
    int rc = CLI_DONE;

    bool listed = plani_limits_list(m, &l) == PLAN_OK;
    if (listed && json)
        rc = cli_print_json(cli, "planbcast-summary", as_json(m, &l));
    else if (!listed || !as_tables(cli->out, m, &l))
        rc = cli_fail_status(cli, PLAN_ENOMEM, NULL);
    plani_limits_free(&l);
    return rc;
}
