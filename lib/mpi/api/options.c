/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* secure_getenv */
#include <planbcast/mpi.h>
#include "lib/base/base.h"
#include "lib/mpi/api/machine.h"
#include "lib/mpi/execute/bind.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL for an unset or empty variable, and for all variables in set-user-ID programs. */
static const char *variable(const char *name)
{
    const char *value = secure_getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static plan_status_t read_mode(plan_mode_t *mode, plan_error_t *err)
{
    static const struct {
        const char *name;
        plan_mode_t mode;
    } known[] = {
        {"default", PLAN_DEFAULT}, {"estimate", PLAN_ESTIMATE}, {"duel", PLAN_DUEL}, {"measure", PLAN_MEASURE}};
    const char *value = variable("PLANBCAST_MODE");
    if (value == NULL) return PLAN_OK;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(value, known[i].name) == 0) {
            *mode = known[i].mode;
            return PLAN_OK;
        }
    return plani_fail(err, PLAN_EINVAL, "PLANBCAST_MODE is '%s'; set it to default, estimate, duel or measure", value);
}

static plan_status_t read_budget(double *budget_s, plan_error_t *err)
{
    const char *value = variable("PLANBCAST_BUDGET");
    double x;
    if (value == NULL) return PLAN_OK;
    if (!plani_read_real(value, &x) || x <= 0)
        return plani_fail(err, PLAN_EINVAL, "PLANBCAST_BUDGET is '%s'; set it to seconds above 0", value);
    *budget_s = x;
    return PLAN_OK;
}

/* 0 or 1 */
static plan_status_t read_switch(const char *name, bool *on, plan_error_t *err)
{
    const char *value = variable(name);
    if (value == NULL) return PLAN_OK;
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
        return plani_fail(err, PLAN_EINVAL, "%s is '%s'; set it to 0 or 1", name, value);
    *on = value[0] == '1';
    return PLAN_OK;
}

plan_status_t plani_check_wanted(bool *check, plan_error_t *err)
{
    *check = false;
    return read_switch("PLANBCAST_CHECK", check, err);
}

static plan_status_t read_slice(size_t *slice, plan_error_t *err)
{
    const char *value = variable("PLANBCAST_SLICE");
    uint64_t x;
    if (value == NULL || strcmp(value, "auto") == 0) return PLAN_OK;
    if (!plani_read_whole(value, &x) || x == 0 || x > (1ull << 30))
        return plani_fail(err, PLAN_EINVAL, "PLANBCAST_SLICE is '%s'; set it to auto or to 1 to %llu bytes", value,
                          1ull << 30);
    *slice = (size_t)x;
    return PLAN_OK;
}

static plan_status_t read_model(const char **model, plan_error_t *err)
{
    const char *value = variable("PLANBCAST_MODEL");
    if (value != NULL && strcmp(value, "simulation") != 0 && strcmp(value, "taulop") != 0)
        return plani_fail(err, PLAN_EINVAL, "PLANBCAST_MODEL is '%s'; set it to simulation or taulop", value);
    *model = value;
    return PLAN_OK;
}

plan_status_t plan_options_read(plan_options_t *options, size_t size, plan_error_t *err)
{
    plan_status_t rc;

    plani_clear(err);
    if (options == NULL) return plani_fail(err, PLAN_EINVAL, "no options to fill in");
    if ((rc = plani_check_size("plan_options_t", size, sizeof *options, err)) != PLAN_OK) return rc;
    *options = (plan_options_t){.size = sizeof *options,
                                .mode = PLAN_DEFAULT,
                                .budget_s = 10,
                                .choice = {.size = sizeof options->choice},
                                .shortlist = 11};
    if ((rc = read_mode(&options->mode, err)) != PLAN_OK) return rc;
    if ((rc = read_budget(&options->budget_s, err)) != PLAN_OK) return rc;
    if ((rc = plani_check_wanted(&options->check, err)) != PLAN_OK) return rc;
    if ((rc = read_slice(&options->choice.slice, err)) != PLAN_OK) return rc;
    if ((rc = read_model(&options->choice.model, err)) != PLAN_OK) return rc;
    options->load_profile = variable("PLANBCAST_PROFILE");
    options->save_profile = variable("PLANBCAST_SAVE_PROFILE");
    options->machine = variable("PLANBCAST_MACHINE");
    options->save_machine = variable("PLANBCAST_SAVE_MACHINE");
    options->choice.only = variable("PLANBCAST_CANDIDATES"); /* the planner knows the names */
    return PLAN_OK;
}

bool plani_user_machine(char *path, size_t room)
{
    const char *config = variable("XDG_CONFIG_HOME"), *home = variable("HOME");
    int len = 0;

    if (config != NULL)
        len = snprintf(path, room, "%s/planbcast/machine.json", config);
    else if (home != NULL)
        len = snprintf(path, room, "%s/.config/planbcast/machine.json", home);
    if (len > 0 && (size_t)len < room) return true;
    path[0] = '\0';
    return false;
}
