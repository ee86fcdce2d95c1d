// The headers serve C++ too, and their functions link.
#include <planbcast.h>
#include <cstdio>
#include <cstring>

int main()
{
    plan_error_t err;
    plan_platform_data_t none = plan_platform_data_t();
    plan_platform_t *pf = nullptr;
    bool refused = plan_platform_create(&none, &pf, &err) == PLAN_EINVAL && std::strlen(err.text) > 0;
    bool same = std::strcmp(plan_version(), PLANBCAST_VERSION) == 0;
    std::puts(!refused ? "a platform of no ranks was not refused" : !same ? "another version is linked" : "ok");
    return 0;
}
