/* Plan offline, with nothing but what is installed. */
#include <planbcast.h>
#include <stdio.h>

int main(void)
{
    const plan_link_t link[] = {{0, 1, 1e-6, 1e-9, 0, -1}, {1, 2, 1e-6, 1e-9, 0, -1}};
    plan_platform_data_t data = {.ranks = 3, .nlinks = 2, .link = link};
    plan_platform_t *pf = NULL;
    plan_error_t err;

    if (plan_platform_create(&data, &pf, &err) != PLAN_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    if (plan_platform_reaches_all(pf, 0, &err) == PLAN_OK) puts("ok");
    plan_platform_destroy(&pf);
    return 0;
}
