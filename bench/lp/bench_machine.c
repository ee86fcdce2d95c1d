/* Times the bound of a machine for several numbers of hosts: bench_machine */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "lib/base/rng.h"
#include "lp/machine.h"

/* Groups of equally many hosts, with rates all different or all equal. \return seconds; negative: failed */
static double time_one(int groups, int hosts, int equal)
{
    int nodes = 1 + groups + groups * hosts, *parent = malloc((size_t)nodes * sizeof *parent);
    double *out = malloc((size_t)nodes * sizeof *out), *in = malloc((size_t)nodes * sizeof *in), seconds = -1;
    plani_machine_bound_t bound;
    plani_rng_t rng;

    plani_rng_seed(&rng, 1);
    for (int x = 0; parent != NULL && out != NULL && in != NULL && x < nodes; x++) {
        double rate = x <= groups ? 1e9 : 1e8; /* [B/s] */
        parent[x] = x == 0 ? -1 : x <= groups ? 0 : 1 + (x - 1 - groups) / hosts;
        out[x] = rate * (equal ? 1 : 0.1 + plani_rng_unit(&rng));
        in[x] = rate * (equal ? 1 : 0.5 + plani_rng_unit(&rng));
    }
    const plani_machine_problem_t problem = {
        .nodes = nodes, .root = 1 + groups, .parent = parent, .out = out, .in = in};
    if (parent != NULL && out != NULL && in != NULL && plani_machine_bound(&problem, &bound, NULL) == PLAN_OK) {
        seconds = bound.seconds;
        plani_machine_bound_clear(&bound);
    }
    free(parent);
    free(out);
    free(in);
    return seconds;
}

int main(void)
{
    printf("| groups x hosts | unequal hosts | equal hosts |\n| --- | ---: | ---: |\n");
    for (int groups = 2; groups <= 200; groups *= groups == 2 || groups == 20 ? 5 : 2)
        for (int hosts = 10; hosts <= 100; hosts *= 10)
            printf("| %d x %d | %.4f s | %.4f s |\n", groups, hosts, time_one(groups, hosts, 0),
                   time_one(groups, hosts, 1));
    return 0;
}
