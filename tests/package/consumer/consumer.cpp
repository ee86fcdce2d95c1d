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
    std::puts(refused && PLANBCAST_VERSION_MAJOR >= 0 ? "ok" : "a platform of no ranks was not refused");
    return 0;
}
