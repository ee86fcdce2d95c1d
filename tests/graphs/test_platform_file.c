/* Platform files are read back as written; an error is one line that names file, place and remedy. */
#include "suite.h"
#include "alloc.h"
#include <planbcast/platform.h>
#include "lib/base/base.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEAD "{\"format\":\"planbcast-platform\",\"version\":1,"
#define LINK(more) "{\"from\":0,\"to\":1,\"latency_s\":1e-6,\"s_per_byte\":1e-9" more "}"
#define BACK "{\"from\":1,\"to\":0,\"latency_s\":1e-6,\"s_per_byte\":1e-9}"
#define TWO HEAD "\"ranks\":2,\"links\":[" LINK("") "," BACK "]"

static const struct {
    const char *text, *place;
} refused[] = {
    {"", "line 1"},
    {"nonsense", "line 1"},
    {"[]", "holds a list"},
    {"3", "line 1"},
    {"{}", "format is missing"},
    {"{\"format\":\"planbcast-plan\",\"version\":1}", "format is \"planbcast-plan\""},
    {"{\"format\":7,\"version\":1}", "format is"},
    {"{\"format\":\"planbcast-platform\"}", "version is missing"},
    {"{\"format\":\"planbcast-platform\",\"version\":2}", "version is not 1"},
    {"{\"format\":\"planbcast-platform\",\"version\":\"1\"}", "version is not 1"},
    {"{\"format\":\"planbcast-platform\",\"format\":\"planbcast-platform\"}", "duplicate"},
    {"{\"format\":\"planbcast-profile\",\"version\":1}", "platform is missing"},
    {"{\"format\":\"planbcast-profile\",\"version\":1,\"platform\":[]}", "platform should be an object"},
    {"{\"format\":\"planbcast-profile\",\"version\":3,\"platform\":{}}", "version is not 1"},
    {"{\"format\":\"planbcast-profile\",\"version\":1,\"platform\":{\"ranks\":1,\"links\":[5]}}", "platform.links[0]"},
    {HEAD "\"links\":[]}", "ranks is missing"},
    {HEAD "\"ranks\":0,\"links\":[]}", "ranks is 0"},
    {HEAD "\"ranks\":-1,\"links\":[]}", "ranks is -1"},
    {HEAD "\"ranks\":2.5,\"links\":[]}", "ranks is 2.5"},
    {HEAD "\"ranks\":1048577,\"links\":[]}", "ranks is 1048577"},
    {HEAD "\"ranks\":9223372036854775807,\"links\":[]}", "ranks is 9.2"},
    {HEAD "\"ranks\":99999999999999999999999,\"links\":[]}", "too big integer"},
    {HEAD "\"ranks\":\"2\",\"links\":[]}", "ranks is not a number"},
    {HEAD "\"ranks\":null,\"links\":[]}", "ranks is not a number"},
    {HEAD "\"ranks\":2}", "links is missing"},
    {HEAD "\"ranks\":2,\"links\":{}}", "links should be a list"},
    {HEAD "\"ranks\":2,\"links\":[7]}", "links[0] should be an object"},
    {HEAD "\"ranks\":2,\"links\":[" LINK("") ",[]]}", "links[1] should be an object"},
    {HEAD "\"ranks\":2,\"links\":[{\"to\":1,\"latency_s\":1,\"s_per_byte\":1}]}", "links[0].from is missing"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":0,\"latency_s\":1,\"s_per_byte\":1}]}", "links[0].to is missing"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":0,\"to\":1,\"s_per_byte\":1}]}", "links[0].latency_s is missing"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":0,\"to\":1,\"latency_s\":1}]}", "links[0].s_per_byte is missing"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":0,\"to\":2,\"latency_s\":1,\"s_per_byte\":1}]}", "links[0].to is 2"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":-1,\"to\":1,\"latency_s\":1,\"s_per_byte\":1}]}", "links[0].from is -1"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":1e300,\"to\":1,\"latency_s\":1,\"s_per_byte\":1}]}", "links[0].from is 1"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":1,\"to\":1,\"latency_s\":1,\"s_per_byte\":1}]}",
     "links[0] goes from rank 1"},
    {HEAD "\"ranks\":2,\"links\":[" LINK("") "," BACK "," LINK("") "]}", "links"},
    {HEAD "\"ranks\":3,\"links\":[" LINK("") "," BACK "," LINK("") "]}", "links[0] and links[2] both go from 0 to 1"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":0,\"to\":1,\"latency_s\":0,\"s_per_byte\":0}]}", "links[0] costs nothing"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":0,\"to\":1,\"latency_s\":-1e-9,\"s_per_byte\":1}]}",
     "links[0].latency_s is -1e-09"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":0,\"to\":1,\"latency_s\":0,\"s_per_byte\":-5}]}",
     "links[0].s_per_byte is -5"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":0,\"to\":1,\"latency_s\":1e999,\"s_per_byte\":1}]}", "overflow"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":0,\"to\":1,\"latency_s\":NaN,\"s_per_byte\":1}]}", "line 1"},
    {HEAD "\"ranks\":2,\"links\":[{\"from\":0,\"to\":1,\"latency_s\":\"1\",\"s_per_byte\":1}]}",
     "links[0].latency_s is not a number"},
    {HEAD "\"ranks\":2,\"links\":[" LINK(",\"delay_s\":-1") "]}", "links[0].delay_s is -1"},
    {HEAD "\"ranks\":2,\"links\":[" LINK(",\"delay_s\":true") "]}", "links[0].delay_s is not a number"},
    {HEAD "\"ranks\":2,\"links\":[" LINK(",\"channel\":0") "]}", "links[0].channel is 0"},
    {HEAD "\"ranks\":2,\"links\":[" LINK(",\"channel\":-2") "]}", "links[0].channel is -2"},
    {HEAD "\"ranks\":2,\"links\":[" LINK(""), "line 1"},
    {HEAD "\"name\":3,\"ranks\":2,\"links\":[]}", "name is not a string"},
    {TWO ",\"hosts\":[0]}", "hosts holds 1 entries"},
    {TWO ",\"hosts\":[0,0,0]}", "hosts holds 3 entries"},
    {TWO ",\"hosts\":[0,2]}", "hosts[1] is 2"},
    {TWO ",\"hosts\":[0,-1]}", "hosts[1] is -1"},
    {TWO ",\"hosts\":[1,1]}", "no rank is on host 0"},
    {TWO ",\"hosts\":[0,\"a\"]}", "hosts[1] is not a number"},
    {TWO ",\"hosts\":{\"0\":0}}", "hosts should be a list"},
    {TWO ",\"hosts\":[0,0],\"host_names\":[\"a\",\"b\"]}", "host_names holds 2 names"},
    {TWO ",\"hosts\":[0,0],\"host_names\":[1]}", "host_names[0] is not a string"},
    {TWO ",\"sites\":[0]}", "sites holds 1 entries"},
    {TWO ",\"hosts\":[0,0],\"sites\":[0,1]}", "sites[1] is 1"},
    {TWO ",\"ports\":\"two\"}", "ports is \"two\""},
    {TWO ",\"ports\":2}", "ports is not a string"},
    {TWO ",\"ports\":\"multi\"}", "send_s is missing"},
    {TWO ",\"send_s\":[1,1]}", "send_s needs"},
    {TWO ",\"ports\":\"none\",\"send_s\":[1,1]}", "send_s needs"},
    {TWO ",\"ports\":\"multi\",\"send_s\":[1]}", "send_s holds 1 entries"},
    {TWO ",\"ports\":\"multi\",\"send_s\":[1,-1]}", "send_s[1] is -1"},
    {TWO ",\"ports\":\"multi\",\"send_s\":[1,null]}", "send_s[1] is not a number"},
    {TWO ",\"ports\":\"one-way\",\"send_s\":[1,1]}", "send_s needs"},
    {TWO ",\"ports\":\"one-way\",\"receive_s\":[1,1]}", "receive_s needs"},
    {TWO ",\"receive_s\":[1,1]}", "receive_s needs"},
    {TWO ",\"ports\":\"multi\",\"send_s\":[1,1],\"receive_s\":[1]}", "receive_s holds 1 entries"},
    {TWO ",\"ports\":\"multi\",\"send_s\":[1,1],\"receive_s\":[1,-1]}", "receive_s[1] is -1"},
    {TWO ",\"ports\":\"multi\",\"send_s\":[1,1],\"receive_s_per_byte\":[1,1]}", "receive_s is missing"},
    {TWO ",\"resources\":{}}", "resources should be a list"},
    {TWO ",\"resources\":[4]}", "resources[0] should be an object"},
    {TWO ",\"resources\":[{\"links\":[[0,1]]}]}", "resources[0].s_per_byte is missing"},
    {TWO ",\"resources\":[{\"s_per_byte\":1}]}", "resources[0].links is missing"},
    {TWO ",\"resources\":[{\"s_per_byte\":0,\"links\":[[0,1]]}]}", "resources[0] costs nothing"},
    {TWO ",\"resources\":[{\"s_per_byte\":0,\"s_per_message\":-2,\"links\":[[0,1]]}]}",
     "resources[0].s_per_message is -2"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"s_per_message\":\"2\",\"links\":[[0,1]]}]}",
     "resources[0].s_per_message is not a number"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"burst_bytes\":-2,\"links\":[[0,1]]}]}", "resources[0].burst_bytes is -2"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"burst_bytes\":\"2\",\"links\":[[0,1]]}]}",
     "resources[0].burst_bytes is not a number"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[[0]]}]}", "resources[0].links[0] should be a link"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[0]}]}", "resources[0].links[0] should be a link"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[[0,1],[1,2]]}]}", "resources[0].links[1][1] is 2"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[[0,0]]}]}", "resources[0].links[0] names link 0 -> 0"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[[0,1],[0,1]]}]}", "resources[0].links names link 0 -> 1 twice"},
    {TWO ",\"resources\":[{\"name\":[],\"s_per_byte\":1,\"links\":[]}]}", "resources[0].name is not a string"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[],\"pairs\":3}]}", "resources[0].pairs should be a list"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[],\"pairs\":[[1,2]]}]}",
     "resources[0].pairs[0] should be [bytes, messages, bytes/s]"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[],\"pairs\":[[1,1.5,2]]}]}", "resources[0].pairs[0][1] is 1.5"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[],\"pairs\":[[1,0,2]]}]}", "resources[0].pairs[0][1] is 0"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[],\"pairs\":[[1,1,0]]}]}", "resources[0].pairs[0] is [1, 1, 0]"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[],\"pairs\":[[0,1,1]]}]}", "resources[0].pairs[0] is [0, 1, 1]"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[],\"pairs\":[[2,1,1],[1,2,3]]}]}",
     "resources[0].pairs[1] is out of order"},
    {TWO ",\"resources\":[{\"s_per_byte\":1,\"links\":[],\"pairs\":[[2,2,1],[2,2,3]]}]}",
     "resources[0].pairs[1] is out of order"},
    {TWO ",\"shared_bytes\":1}", "shared_bytes should be a list"},
    {TWO ",\"shared_bytes\":[1,2],\"shared_s\":[1]}", "shared_s holds 1 numbers; give one for each size, 2"},
    {TWO ",\"shared_bytes\":[1]}", "shared_s is missing"},
    {TWO ",\"shared_bytes\":[1],\"shared_s\":[1]}", "no ranks share a host"},
    {TWO ",\"hosts\":[0,0],\"shared_bytes\":[1],\"shared_s\":[-1]}", "shared_s[0] is -1"},
    {TWO ",\"hosts\":[0,0],\"shared_bytes\":[2,2],\"shared_s\":[1,1]}", "shared_bytes[1] is 2; sizes must ascend"},
    {TWO ",\"channels\":7}", "channels should be a list"},
    {TWO ",\"channels\":[7]}", "channels[0] should be an object"},
    {TWO ",\"channels\":[{\"network\":1}]}", "channels[0].network"},
    {TWO ",\"channels\":[{\"fluid\":1}]}", "channels[0].fluid"},
    {TWO ",\"channels\":[{\"rendezvous_bytes\":-1}]}", "channels[0].rendezvous_bytes is -1"},
    {TWO ",\"channels\":[{\"bytes\":[1]}]}", "channels[0].overhead_s is missing"},
    {TWO ",\"channels\":[{\"bytes\":[1],\"overhead_s\":[1,2]}]}", "channels[0].overhead_s holds 2 numbers"},
    {TWO ",\"channels\":[{\"bytes\":[2,1],\"overhead_s\":[1,2],\"gap_s\":[1,2],\"p2p_s\":[1,2]}]}",
     "channels[0].bytes[1] is 1"},
    {TWO ",\"channels\":[{\"bytes\":[1,2],\"overhead_s\":[1,2],\"gap_s\":[1,-2],\"p2p_s\":[1,2]}]}",
     "channels[0].gap_s[1] is -2"},
    {TWO ",\"channels\":[{\"gamma\":[1,\"x\"]}]}", "channels[0].gamma[1] is not a number"},
};

static void what_is_wrong_with_a_file_is_said_in_one_line(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        plan_platform_t *pf = NULL;
        plan_error_t err;
        CU_ASSERT_EQUAL(plan_platform_parse(refused[i].text, strlen(refused[i].text), "FILE", &pf, &err), PLAN_EFORMAT);
        CU_ASSERT_EQUAL(err.status, PLAN_EFORMAT);
        CU_ASSERT_PTR_NULL(pf);
        bool named = strncmp(err.text, "FILE: ", 6) == 0 && strstr(err.text, refused[i].place) != NULL;
        if (!named) printf("\n   wanted \"%s\" in \"%s\"", refused[i].place, err.text);
        CU_ASSERT_TRUE(named);
    }
}

static void deep_nesting_is_an_error_and_no_crash(void)
{
    enum { DEEP = 200000 };
    char *text = malloc(DEEP);
    plan_platform_t *pf = NULL;
    plan_error_t err;
    memset(text, '[', DEEP);
    CU_ASSERT_EQUAL(plan_platform_parse(text, DEEP, "FILE", &pf, &err), PLAN_EFORMAT);
    for (int i = 0; i + 5 <= DEEP; i += 5) memcpy(text + i, "{\"a\":", 5);
    CU_ASSERT_EQUAL(plan_platform_parse(text, DEEP, "FILE", &pf, &err), PLAN_EFORMAT);
    CU_ASSERT_PTR_NULL(pf);
    free(text);
}

static const char everything[] =
    HEAD "\"name\":\"n\\\"\\u00e4\",\"unknown\":{\"x\":[1]},\"ranks\":3,\"links\":["
         "{\"from\":2,\"to\":0,\"latency_s\":0,\"s_per_byte\":0.1,\"delay_s\":1e-3,\"channel\":1},"
         "{\"from\":0,\"to\":1,\"latency_s\":1,\"s_per_byte\":3.3333333333333333e-10,\"channel\":0},"
         "{\"from\":1,\"to\":2,\"latency_s\":4.9406564584124654e-30,\"s_per_byte\":0}],"
         "\"resources\":[{\"name\":\"bus\",\"links\":[[2,0],[0,1]],\"s_per_byte\":2,\"burst_bytes\":12500.5,"
         "\"pairs\":[[8,1,0.25],[8,2,0.5],[65536,1,0.25]]},{\"links\":[],"
         "\"s_per_byte\":0,\"s_per_message\":8e-9}],"
         "\"channels\":[{\"name\":\"host\",\"bytes\":[1,2e3],\"overhead_s\":[1e-7,1e-6],\"gap_s\":[2e-7,3e-6],"
         "\"p2p_s\":[5e-6,4e-6],\"gamma\":[1,1.5,2]},{\"network\":true,\"fluid\":true,\"rendezvous_bytes\":65536}],"
         "\"hosts\":[0,0,1],\"host_names\":[\"a\",\"b\"],\"sites\":[1,1,0],\"site_names\":[\"x\",\"y\"],"
         "\"ports\":\"multi\",\"send_s\":[0,1e-6,1],\"receive_s\":[2,0,1e-7],\"receive_s_per_byte\":[0,1e-9,0]}";

static void has_everything(const plan_platform_t *pf)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    CU_ASSERT_STRING_EQUAL(d->name, "n\"\xc3\xa4");
    CU_ASSERT(d->ranks == 3 && d->nlinks == 3 && d->nresources == 2 && d->nchannels == 2);
    CU_ASSERT(d->link[0].latency_s == 1 && d->link[0].s_per_byte == 3.3333333333333333e-10 && d->link[0].channel == 0);
    CU_ASSERT(d->link[1].latency_s == 4.9406564584124654e-30 && d->link[1].channel == -1 && d->link[1].delay_s == 0);
    CU_ASSERT(d->link[2].s_per_byte == 0.1 && d->link[2].delay_s == 1e-3 && d->link[2].channel == 1);
    CU_ASSERT_STRING_EQUAL(d->resource[0].name, "bus");
    CU_ASSERT_STRING_EQUAL(d->resource[1].name, "");
    CU_ASSERT(d->resource[0].nlinks == 2 && d->resource[0].link[0] == 0 && d->resource[0].link[1] == 2);
    CU_ASSERT(d->resource[1].nlinks == 0 && d->resource[0].s_per_byte == 2 && d->resource[0].s_per_message == 0);
    CU_ASSERT(d->resource[1].s_per_byte == 0 && d->resource[1].s_per_message == 8e-9);
    CU_ASSERT(d->resource[0].burst_bytes == 12500.5 && d->resource[1].burst_bytes == 0);
    CU_ASSERT(d->resource[0].npairs == 3 && d->resource[1].npairs == 0);
    CU_ASSERT(d->resource[0].pairs[1].bytes == 8 && d->resource[0].pairs[1].messages == 2);
    CU_ASSERT(d->resource[0].pairs[1].bytes_per_s == 0.5 && d->resource[0].pairs[2].bytes == 65536);
    CU_ASSERT(d->channel[0].nsizes == 2 && d->channel[0].bytes[0] == 1 && d->channel[0].bytes[1] == 2000);
    CU_ASSERT(d->channel[0].overhead_s[0] == 1e-7 && d->channel[0].overhead_s[1] == 1e-6);
    CU_ASSERT(d->channel[0].gap_s[0] == 2e-7 && d->channel[0].gap_s[1] == 3e-6);
    CU_ASSERT(d->channel[0].p2p_s[0] == 5e-6 && d->channel[0].p2p_s[1] == 4e-6); /* measured: it need not ascend */
    CU_ASSERT(d->channel[0].ngamma == 3 && d->channel[0].gamma[1] == 1.5 && !d->channel[0].network);
    CU_ASSERT(d->channel[1].nsizes == 0 && d->channel[1].ngamma == 0 && d->channel[1].network);
    CU_ASSERT(d->channel[1].fluid && !d->channel[0].fluid);
    CU_ASSERT(d->channel[1].rendezvous_bytes == 65536 && d->channel[0].rendezvous_bytes == 0);
    CU_ASSERT(d->host[2] == 1 && d->site[0] == 1 && d->hosts == 2 && d->sites == 2);
    CU_ASSERT_STRING_EQUAL(d->host_name[1], "b");
    CU_ASSERT_STRING_EQUAL(d->site_name[0], "x");
    CU_ASSERT(d->send_s != NULL && d->send_s[1] == 1e-6 && d->send_s_per_byte == NULL);
    CU_ASSERT(d->receive_s != NULL && d->receive_s[0] == 2 && d->receive_s_per_byte[1] == 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(plan_receive_cost(d, 1, 1000), 1e-6, 1e-20);
}

static void everything_is_read_and_written_and_read(void)
{
    plan_platform_t *pf = NULL, *back = NULL;
    char *text = NULL, *again = NULL;
    plan_error_t err;

    CU_ASSERT_EQUAL_FATAL(plan_platform_parse(everything, strlen(everything), "FILE", &pf, &err), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(err.text, "");
    has_everything(pf);
    CU_ASSERT_EQUAL_FATAL(plan_platform_to_json(pf, &text), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_platform_parse(text, strlen(text), "back", &back, &err), PLAN_OK);
    has_everything(back);
    CU_ASSERT_EQUAL_FATAL(plan_platform_to_json(back, &again), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(text, again);
    free(text);
    free(again);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&back);
}

/* Profiles once carried corrections of the model for some candidates. */
static void corrections_in_old_files_are_ignored(void)
{
    static const char old[] = TWO ",\"calibrations\":[{\"candidate\":\"grow\",\"scale\":0.1,\"level_s\":-1}]}";
    plan_platform_t *pf = NULL;
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_parse(old, strlen(old), "FILE", &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_platform_to_json(pf, &text), PLAN_OK);
    CU_ASSERT_PTR_NULL(strstr(text, "calibrations"));
    free(text);
    plan_platform_destroy(&pf);
}

static void times_through_shared_memory_are_kept(void)
{
    static const char one[] = TWO ",\"hosts\":[0,0],\"shared_bytes\":[8,1e6],\"shared_s\":[2e-6,6.5e-5]}";
    plan_platform_t *pf = NULL, *back = NULL;
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_parse(one, strlen(one), "FILE", &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_platform_to_json(pf, &text), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_platform_parse(text, strlen(text), "back", &back, NULL), PLAN_OK);
    const plan_platform_data_t *d = plan_platform_data(back);
    CU_ASSERT_EQUAL_FATAL(d->nshared, 2);
    CU_ASSERT(d->shared_bytes[0] == 8 && d->shared_bytes[1] == 1e6 && d->shared_s[0] == 2e-6);
    CU_ASSERT_EQUAL(d->shared_s[1], 6.5e-5);
    free(text);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&back);
}

static void a_profile_is_read_as_the_platform_it_holds(void)
{
    char text[4096];
    plan_platform_t *pf = NULL;
    snprintf(text, sizeof text, "{\"format\":\"planbcast-profile\",\"version\":1,\"samples\":[],\"platform\":%s}",
             everything);
    CU_ASSERT_EQUAL_FATAL(plan_platform_parse(text, strlen(text), "FILE", &pf, NULL), PLAN_OK);
    has_everything(pf);
    plan_platform_destroy(&pf);
}

static void files_are_saved_and_loaded(void)
{
    char path[] = "test_platform_file.XXXXXX";
    plan_platform_t *pf = NULL, *back = NULL;
    plan_error_t err;
    int fd = mkstemp(path);

    CU_ASSERT_FATAL(fd >= 0);
    close(fd);
    CU_ASSERT_EQUAL_FATAL(plan_platform_parse(everything, strlen(everything), "FILE", &pf, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plan_platform_save(pf, path, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_platform_load(path, &back, &err), PLAN_OK);
    has_everything(back);
    unlink(path);
    plan_platform_destroy(&back);
    CU_ASSERT_EQUAL(plan_platform_load(path, &back, &err), PLAN_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, path));
    CU_ASSERT_EQUAL(plan_platform_save(pf, "no-such-folder/p.json", &err), PLAN_EIO);
    plan_platform_destroy(&pf);
}

static void every_failing_allocation_is_reported(void)
{
    plan_platform_t *pf = NULL;
    char *text = NULL;
    plan_error_t err;
    ALLOC_EACH(plan_platform_parse(everything, strlen(everything), "FILE", &pf, &err),
               CU_ASSERT_EQUAL(status, PLAN_ENOMEM);
               CU_ASSERT_EQUAL(err.status, PLAN_ENOMEM); CU_ASSERT_PTR_NULL(pf));
    ALLOC_EACH(plan_platform_to_json(pf, &text), CU_ASSERT_EQUAL(status, PLAN_ENOMEM); CU_ASSERT_PTR_NULL(text));
    free(text);
    plan_platform_destroy(&pf);
}

/* jansson's own allocations, once or from then on. It calls such a text no JSON, or reads it without some characters.
 */
static long allocations, failing;
static bool once;

static void *failing_malloc(size_t size)
{
    long k = ++allocations;
    return failing > 0 && (once ? k == failing : k >= failing) ? NULL : malloc(size);
}

static void want_of_memory_is_no_mistake_in_the_text(void)
{
    plan_platform_t *pf = NULL;
    plan_error_t err;
    json_malloc_t its_malloc;
    json_free_t its_free;

    json_get_alloc_funcs(&its_malloc, &its_free);
    json_set_alloc_funcs(failing_malloc, its_free);
    allocations = failing = 0;
    CU_ASSERT_EQUAL_FATAL(plan_platform_parse(everything, strlen(everything), "FILE", &pf, &err), PLAN_OK);
    plan_platform_destroy(&pf);
    const long all = allocations;
    CU_ASSERT_TRUE(all > 100);
    for (long k = 1; k <= 2 * all; k++) {
        allocations = 0, failing = (k + 1) / 2, once = k % 2 == 0;
        CU_ASSERT_EQUAL(plan_platform_parse(everything, strlen(everything), "FILE", &pf, &err), PLAN_ENOMEM);
        CU_ASSERT_PTR_NULL_FATAL(pf);
    }
    json_malloc_t left;
    json_get_alloc_funcs(&left, &its_free);
    CU_ASSERT_TRUE(left == failing_malloc); /* nothing of ours stays behind */
    json_set_alloc_funcs(its_malloc, its_free);
}

SUITE_MAIN("platform_file", TEST(what_is_wrong_with_a_file_is_said_in_one_line),
           TEST(deep_nesting_is_an_error_and_no_crash), TEST(everything_is_read_and_written_and_read),
           TEST(corrections_in_old_files_are_ignored), TEST(times_through_shared_memory_are_kept),
           TEST(a_profile_is_read_as_the_platform_it_holds), TEST(files_are_saved_and_loaded),
           TEST(every_failing_allocation_is_reported), TEST(want_of_memory_is_no_mistake_in_the_text))
