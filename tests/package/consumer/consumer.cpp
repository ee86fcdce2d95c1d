// The headers serve C++17 too: their functions link, and their macros and enumerators are there, with pedantic
// warnings.
#include <planbcast.h>
#include <cstdio>
#include <cstring>
#ifdef WITH_MPI
#include <planbcast/mpi.h>
#endif

static_assert(PLANBCAST_VERSION_MAJOR + PLANBCAST_VERSION_MINOR + PLANBCAST_VERSION_PATCH > 0, "a version");
static_assert(PLAN_MOST_TREES > 0 && PLAN_MOST_GENERATED_RANKS > 0, "numbers");

// An enumerator of each header, as a C program names it.
static const int enumerators[] = {PLAN_AT_SEND_PORT, PLAN_AT_RECV_PORT, PLAN_AT_RESOURCE, PLAN_AT_LINK,
                                  PLAN_RUN_TREES,    PLAN_EINVAL,       PLAN_CIRCULANT};

int main()
{
    plan_error_t err;
    plan_platform_data_t none = plan_platform_data_t();
    plan_platform_t *pf = nullptr;
    plan_bottleneck_t bottleneck = {PLAN_AT_SEND_PORT, 0, 0};
    bool refused = plan_platform_create(&none, &pf, &err) == PLAN_EINVAL && std::strstr(err.text, "size 0") != nullptr;
    none.size = sizeof none;
    refused =
        refused && plan_platform_create(&none, &pf, &err) == PLAN_EINVAL && std::strstr(err.text, "ranks") != nullptr;
    bool same = std::strcmp(plan_version(), PLANBCAST_VERSION) == 0;
    bool named = bottleneck.at == enumerators[0];
#ifdef WITH_MPI
    plan_options_t options;
    named = named && plan_options_init(&options, &err) == PLAN_OK && options.mode == PLAN_DEFAULT;
#endif
    std::puts(!refused ? "a platform of no ranks was not refused"
              : !same  ? "another version is linked"
              : !named ? "an enumerator is another"
                       : "ok");
    return 0;
}
