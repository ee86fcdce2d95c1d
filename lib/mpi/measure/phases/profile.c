/* The profile: the measured platform, the raw samples, and how they were taken. JSON, format "planbcast-profile". */
#include <stdlib.h>
#include <string.h>
#include <hwloc.h>
#include <planbcast/version.h>
#include "graphs/platform/json.h"
#include "lib/base/base.h"
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/measure/phases/profile.h"

enum { VERSION = 1 };
static const char FORMAT[] = "planbcast-profile";
static const size_t FILE_MOST = (size_t)1 << 30; /* [B] */
static const size_t DUMP = JSON_COMPACT | JSON_REAL_PRECISION(12);

struct plan_profile {
    plani_machine_t *machine; /* NULL: the file has none */
    plan_platform_t *platform;
    json_t *document; /* the whole file */
};

void plani_profile_destroy(plan_profile_t **profile)
{
    if (*profile == NULL) return;
    plani_machine_destroy(&(*profile)->machine);
    plan_platform_destroy(&(*profile)->platform);
    json_decref((*profile)->document);
    free(*profile);
    *profile = NULL;
}

const plan_platform_t *plani_profile_platform(const plan_profile_t *profile)
{
    return profile->platform;
}

const plani_machine_t *plani_profile_machine(const plan_profile_t *profile)
{
    return profile->machine;
}

const json_t *plani_profile_document(const plan_profile_t *profile)
{
    return profile->document;
}

/* ---- out of findings ---- */

static json_t *method(void)
{
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "ping-pong",
        "a: round trips [s] of a message and an empty answer, from 'from' to 'to' and back; b: time in MPI_Isend [s]",
        "flow",
        "slices for 'seconds' with 'window' of them in flight (bytes 0: they grow with the flow). "
        "a: arrivals [s] since the first, b: bytes arrived; of many arrivals some are kept. "
        "The rate is that of a line through the arrivals after 35% of the time, when bursts have passed: "
        "no arrival lies above it, and it touches one in the first and one in the last third. "
        "It exceeds the mean rate since the start by a few per cent at most, "
        "and is not below it where the arrivals do not lie on a line",
        "flat tree", "a: from the first send to the last acknowledgement [s], b: the same with an empty message [s]",
        "chain",
        "broadcasts down a chain as plans run them, of one slice and of many in turn; chains of one step run at once. "
        "a: from the root's start to the last rank's message [s], b: slices. Processors: the time of many slices less "
        "that of one, per link, where links take less (lower quartiles). Waking: the time of one slice less the times "
        "of its links alone, per link",
        "stop",
        "when the 95% interval of the median (order statistics, from 8 samples on) is within 2.5% of it, or the share "
        "of the budget is spent; medians count",
        "ladder",
        "gap: seconds per slice in a flow. p2p: round trip less half an empty one, plus the delay while all other "
        "ranks wait, too (then the gap of messages up to 128 B is that of their bytes). overhead: time in MPI_Isend. "
        "Lines by least absolute relative errors, then by least squares of those within 3.5 scaled median absolute "
        "errors; none falls with the size or has a negative latency",
        "pieces",
        "several lines through p2p where one is not enough: latency_s + m s_per_byte for m >= from_bytes, by least "
        "squared relative errors, without negative latencies, and with a penalty for each line",
        "burst",
        "one message alone, sent after a pause: the bytes that cannot have passed at the rate in its time; the largest "
        "value of all paths that cross a resource",
        "sharing", "flows that together get less than 85% of what each gets alone share a resource");
}

static bool add_guess(json_t *list, const char *what, const char *name, const plani_capacity_t *c, const char *way)
{
    return !c->guess || json_array_append_new(list, json_sprintf("%s%s %s", what, name, way)) == 0;
}

/* The trunks of a machine, and the cards of a kind, that are guesses: "site 1 out", "cards of kind 2 in". */
static json_t *guessed(const plani_machine_t *m)
{
    json_t *list = json_array();
    bool added = list != NULL;

    for (int g = 0; g < m->ngroups && added; g++) {
        const plani_machine_group_t *group = &m->group[g];
        added =
            add_guess(list, "", group->name, &group->out, "out") && add_guess(list, "", group->name, &group->in, "in");
    }
    for (int k = 0; k < m->nkinds && added; k++) {
        const plani_machine_kind_t *kind = &m->kind[k];
        added = add_guess(list, "cards of ", kind->name, &kind->out, "out") &&
                add_guess(list, "cards of ", kind->name, &kind->in, "in");
    }
    if (added) return list;
    json_decref(list);
    return NULL;
}

static json_t *provenance(const plani_findings_t *s, const plani_machine_t *m)
{
    char date[32], hwloc[32];
    unsigned api = hwloc_get_api_version();
    json_t *names = json_array();

    plani_date(date);
    snprintf(hwloc, sizeof hwloc, "%u.%u.%u", api >> 16, api >> 8 & 0xff, api & 0xff);
    for (int h = 0; h < s->hosts && names != NULL; h++)
        json_array_append_new(names, json_string_nocheck(s->name[plani_first_rank(s, h)].text));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:I, s:I, s:o, s:i, s:o, s:O}", "planbcast",
                     PLANBCAST_VERSION, "mpi", s->library, "hwloc", hwloc, "date", date, "clock", "MPI_Wtime",
                     "clock_resolution_s", s->tick, "budget_s", s->budget, "seconds", s->engine->now() - s->start,
                     "experiments", (json_int_t)s->engine->experiments, "left_out", (json_int_t)s->left_out, "guessed",
                     guessed(m), "ranks", s->ranks, "hosts", names, "phases", s->phases);
}

static json_t *pieces(const plani_class_t *c)
{
    json_t *array = json_array();

    for (int i = 0; i < c->npieces && array != NULL; i++) {
        const plani_protocol_t *p = &c->piece[i];
        json_array_append_new(array, json_pack("{s:f, s:f, s:f}", "from_bytes", p->from_bytes, "latency_s",
                                               p->latency_s, "s_per_byte", p->s_per_byte));
    }
    return array;
}

/* What does not belong to a platform: Q, whom a class was measured between, its protocols, and which sizes were sent
 * rather than lie on a line. */
static json_t *classes(const plani_findings_t *s)
{
    json_t *array = json_array();

    for (int c = 0; c < s->nclasses && array != NULL; c++) {
        const plani_class_t *k = &s->class_[c];
        json_t *sizes = json_array();
        for (int i = 0; i < PLANI_LADDER && sizes != NULL; i++)
            if (k->measured[i]) json_array_append_new(sizes, json_integer(plani_size[i]));
        json_array_append_new(array, json_pack("{s:s, s:i, s:i, s:f, s:f, s:f, s:o, s:o}", "name", k->name, "from",
                                               k->from, "to", k->to, "q", k->q, "round_trip_s", k->round_trip, "wake_s",
                                               k->wake_s, "measured_bytes", sizes, "pieces", pieces(k)));
    }
    return array;
}

static json_t *memory(const plani_findings_t *s)
{
    json_t *array = json_array();

    for (size_t k = 0; k < s->memory.n && array != NULL; k++) {
        const plan_pairs_t *p = &s->memory.at[k];
        json_array_append_new(array, json_pack("{s:f, s:i, s:f}", "bytes", p->bytes, "messages", p->messages,
                                               "bytes_per_s", p->bytes_per_s));
    }
    return array;
}

/* A text that some function wrote, as a value. Takes over the text. */
static plan_status_t value_of(plan_status_t rc, char *text, json_t **out)
{
    if (rc == PLAN_OK && (*out = json_loads(text, 0, NULL)) == NULL) rc = PLAN_ENOMEM;
    free(text);
    return rc;
}

static plan_status_t document(plani_findings_t *s, plan_profile_t *p)
{
    json_t *pf = NULL, *machine = NULL;
    char *text = NULL;
    plan_status_t rc = plan_platform_to_json(p->platform, &text);

    rc = value_of(rc, text, &pf);
    text = NULL;
    if (rc == PLAN_OK) {
        rc = plani_machine_to_json(p->machine, &text);
        rc = value_of(rc, text, &machine);
    }
    if (rc != PLAN_OK) {
        json_decref(pf);
        return rc;
    }
    p->document = json_pack("{s:s, s:i, s:o, s:o, s:O, s:o, s:o, s:o, s:O}", "format", FORMAT, "version", VERSION,
                            "platform", pf, "machine", machine, "provenance", p->machine->provenance, "classes",
                            classes(s), "memory", memory(s), "method", method(), "samples", s->samples);
    return p->document != NULL ? PLAN_OK : PLAN_ENOMEM;
}

plan_status_t plani_profile_create(plani_findings_t *s, plan_profile_t **out, plan_error_t *err)
{
    plan_profile_t *p = calloc(1, sizeof *p);
    plan_status_t rc = p == NULL ? PLAN_ENOMEM : plani_infer_machine(s, &p->machine, err);

    if (rc == PLAN_OK && (p->machine->provenance = provenance(s, p->machine)) == NULL) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = plani_machine_platform(p->machine, s->ranks, s->place, &p->platform, err);
    if (rc == PLAN_OK) rc = document(s, p);
    if (rc == PLAN_OK) *out = p, p = NULL;
    plani_profile_destroy(&p);
    return rc;
}

json_t *plani_validation_json(const plani_validation_t *validation)
{
    json_t *list = json_array();

    for (int i = 0; i < validation->n && list != NULL; i++) {
        const plani_tried_t *t = &validation->at[i];
        json_t *row = json_pack("{s:s, s:I, s:f, s:f}", "name", t->name, "bytes", (json_int_t)t->bytes, "predicted_s",
                                t->predicted_s, "measured_s", t->measured_s);
        if (row != NULL && json_array_append_new(list, row) == 0) continue;
        json_decref(list);
        return NULL;
    }
    return list;
}

plan_status_t plani_profile_validated(plan_profile_t *profile, const plani_validation_t *validation, double *off)
{
    json_t *list = plani_validation_json(validation);

    if (list == NULL) return PLAN_ENOMEM;
    *off = plani_validation_error(list);
    return json_object_set_new(profile->machine->provenance, "validation", list) == 0 ? PLAN_OK : PLAN_ENOMEM;
}

/* ---- files ---- */

plan_status_t plani_profile_save(const plan_profile_t *profile, const char *path, plan_error_t *err)
{
    char *text = json_dumps(profile->document, DUMP);
    if (text == NULL) return plani_fail(err, PLAN_ENOMEM, "%s: out of memory for the profile", path);
    plan_status_t rc = plani_write_file(path, text, strlen(text), err);
    free(text);
    return rc;
}

plan_status_t plani_profile_load(const char *path, plan_profile_t **out, plan_error_t *err)
{
    plan_status_t rc;
    char *text = NULL;
    size_t len = 0;
    plani_json_t doc = {.value = NULL}, platform, machine;
    plan_profile_t *p = NULL;

    if ((rc = plani_read_file(path, FILE_MOST, &text, &len, err)) != PLAN_OK) return rc;
    if ((p = calloc(1, sizeof *p)) == NULL) {
        rc = plani_fail(err, PLAN_ENOMEM, "%s: out of memory", path);
        goto done;
    }
    if ((rc = plani_json_load(text, len, path, err, &doc)) != PLAN_OK) goto done;
    if ((rc = plani_json_format(&doc, FORMAT, VERSION)) != PLAN_OK) goto done;
    if ((rc = plani_json_object(&doc, "platform", true, &platform)) != PLAN_OK) goto done;
    if ((rc = plani_platform_from_json(&platform, &p->platform)) != PLAN_OK) goto done;
    if ((rc = plani_json_object(&doc, "machine", false, &machine)) != PLAN_OK) goto done;
    if (machine.value != NULL && (rc = plani_machine_from_json(&machine, &p->machine)) != PLAN_OK) goto done;
    p->document = json_incref(doc.value);
    *out = p, p = NULL;
done:
    if (doc.value != NULL) plani_json_close(&doc);
    free(text);
    plani_profile_destroy(&p);
    return rc;
}
