/* The layout of a cluster, for emulation and simulation: switches, hosts and the host of every rank. */
#include "graphs/machine/cluster.h"
#include "lib/base/text.h"

static void add_number(plani_text_t *t, const char *key, double x)
{
    plani_text_add(t, "\"%s\": ", key);
    plani_text_add_double(t, x);
}

static void add_gate(plani_text_t *t, const plani_gate_t *gate)
{
    add_number(t, "in_bytes_per_s", gate->in_bytes_per_s);
    plani_text_add(t, ", ");
    add_number(t, "out_bytes_per_s", gate->out_bytes_per_s);
    plani_text_add(t, ", ");
    add_number(t, "latency_s", gate->latency_s);
    plani_text_add(t, "}");
}

/* Two numbers of one thing that all hosts, or all cards and trunks, have. */
static void add_pair(plani_text_t *t, const char *name, const char *first, double x, const char *second, double y)
{
    plani_text_add(t, ",\n  \"%s\": {", name);
    add_number(t, first, x);
    plani_text_add(t, ", ");
    add_number(t, second, y);
    plani_text_add(t, "}");
}

plan_status_t plani_cluster_layout(const plani_cluster_t *c, char **text)
{
    plani_text_t t = {0};

    plani_text_add(&t, "{\n  \"format\": \"planbcast-layout\", \"version\": 1, \"name\": ");
    plani_text_add_quoted(&t, c->name);
    add_pair(&t, "memory", "bytes_per_s", c->memory_bytes_per_s, "latency_s", c->memory_latency_s);
    add_pair(&t, "burst", "seconds", c->burst_s, "bytes", c->burst_bytes);
    plani_text_add(&t, ",\n  \"groups\": [");
    for (int g = 0; g < c->ngroups; g++) {
        plani_text_add(&t, "%s\n    {\"name\": ", g > 0 ? "," : "");
        plani_text_add_quoted(&t, c->group[g].name);
        plani_text_add(&t, ", \"above\": %d, \"site\": %d, ", c->group[g].above, c->group[g].site);
        add_gate(&t, &c->group[g].trunk);
    }
    plani_text_add(&t, "],\n  \"hosts\": [");
    for (int h = 0; h < c->nhosts; h++) {
        plani_text_add(&t, "%s\n    {\"name\": ", h > 0 ? "," : "");
        plani_text_add_quoted(&t, c->host[h].name);
        plani_text_add(&t, ", \"group\": %d, \"ranks\": %d, ", c->host[h].group, c->host[h].ranks);
        add_gate(&t, &c->host[h].card);
    }
    plani_text_add(&t, "],\n  \"host_of\": [");
    plani_text_add_ints(&t, c->host_of, c->ranks);
    plani_text_add(&t, "]\n}\n");
    return plani_text_take(&t, text);
}
