#include "planner/cli/proof.h"
#include "planner/cli/output.h"

json_t *cli_json_proof(const plani_proved_t *proved)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "slice", cli_json_real(proved->slice), "throughput",
                     cli_json_real(proved->throughput), "upper", cli_json_real(proved->upper), "gap",
                     cli_json_real(proved->upper / proved->throughput - 1), "best_tree",
                     cli_json_real(proved->best_tree), "seconds", cli_json_real(proved->seconds), "parent",
                     cli_json_ints(plan_tree_data(proved->tree)->parent, plan_tree_data(proved->tree)->ranks));
}

void cli_print_proof(FILE *out, const plani_proved_t *proved)
{
    fprintf(out, "single trees, slices of %s: ", plani_bytes(proved->slice).s);
    if (proved->upper <= proved->throughput)
        fprintf(out, "%.6g slices/s = %s at most, proved", proved->throughput,
                plani_rate(proved->throughput * proved->slice).s);
    else
        fprintf(out, "%.6g slices/s = %s found, %.6g at most: a gap of %.2g%% after %.1f s", proved->throughput,
                plani_rate(proved->throughput * proved->slice).s, proved->upper,
                100 * (proved->upper / proved->throughput - 1), proved->seconds);
    fprintf(out, ", within the platform's model; best-tree reaches %.4g%% of the best found\n",
            100 * proved->best_tree / proved->throughput);
}
