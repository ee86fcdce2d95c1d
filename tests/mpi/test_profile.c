/* Invalid profile files: each is refused with one line, and no profile is returned. */
#include "suite.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <planbcast/mpi.h>

#define PLATFORM                                                                                                       \
    "{\"format\":\"planbcast-platform\",\"version\":1,\"ranks\":2,\"links\":[{\"from\":0,\"to\":1,"                    \
    "\"latency_s\":1e-6,\"s_per_byte\":1e-9}]}"

static plan_status_t load(const char *text, plan_profile_t **profile, plan_error_t *err)
{
    char path[64];
    snprintf(path, sizeof path, "bad-profile-%d.json", (int)getpid());
    FILE *f = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs(text, f);
    fclose(f);
    plan_status_t rc = plan_profile_load(path, profile, err);
    unlink(path);
    return rc;
}

static void refused(const char *text)
{
    plan_error_t err;
    plan_profile_t *profile = NULL;

    CU_ASSERT_EQUAL(load(text, &profile, &err), PLAN_EFORMAT);
    CU_ASSERT_EQUAL(err.status, PLAN_EFORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "bad-profile-"));
    CU_ASSERT_PTR_NULL(strchr(err.text, '\n'));
    CU_ASSERT_PTR_NULL(profile);
}

static void a_minimal_profile_loads(void)
{
    plan_error_t err;
    plan_profile_t *profile = NULL;

    CU_ASSERT_EQUAL_FATAL(
        load("{\"format\":\"planbcast-profile\",\"version\":1,\"platform\":" PLATFORM "}", &profile, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plan_platform_data(plan_profile_platform(profile))->nlinks, 1);
    plan_profile_destroy(&profile);
}

static void what_is_no_profile_is_refused(void)
{
    refused("");
    refused("[]");
    refused("null");
    refused("{");
    refused("{\"format\":\"planbcast-profile\"}");
    refused(PLATFORM); /* no samples, no provenance: plan_platform_load reads it */
    refused("{\"format\":\"planbcast-profile\",\"version\":2,\"platform\":" PLATFORM "}");
    refused("{\"format\":\"planbcast-profile\",\"version\":\"1\",\"platform\":" PLATFORM "}");
    refused("{\"format\":\"planbcast-profile\",\"version\":1}");
    refused("{\"format\":\"planbcast-profile\",\"version\":1,\"platform\":7}");
    refused("{\"format\":\"planbcast-profile\",\"version\":1,\"platform\":{}}");
    refused("{\"format\":\"planbcast-profile\",\"version\":1,\"version\":1,\"platform\":" PLATFORM "}");
    refused("{\"format\":\"planbcast-profile\",\"version\":1,\"platform\":" PLATFORM "");
}

static void deeply_nested_text_is_refused(void)
{
    static char text[200001];

    memset(text, '[', 200000);
    refused(text);
}

static void a_missing_file_says_so(void)
{
    plan_error_t err;
    plan_profile_t *profile = NULL;

    CU_ASSERT_EQUAL(plan_profile_load("no-such-profile.json", &profile, &err), PLAN_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "no-such-profile.json"));
    CU_ASSERT_PTR_NULL(profile);
    CU_ASSERT_EQUAL(plan_profile_load(".", &profile, &err), PLAN_EIO);
}

static void a_profile_that_cannot_be_written_says_so(void)
{
    plan_error_t err;
    plan_profile_t *profile = NULL;

    CU_ASSERT_EQUAL_FATAL(
        load("{\"format\":\"planbcast-profile\",\"version\":1,\"platform\":" PLATFORM "}", &profile, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plan_profile_save(profile, "no-such-folder/profile.json", &err), PLAN_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "no-such-folder/profile.json"));
    plan_profile_destroy(&profile);
    plan_profile_destroy(&profile);
    plan_profile_destroy(NULL);
}

SUITE_MAIN("profile files", TEST(a_minimal_profile_loads), TEST(what_is_no_profile_is_refused),
           TEST(deeply_nested_text_is_refused), TEST(a_missing_file_says_so),
           TEST(a_profile_that_cannot_be_written_says_so))
