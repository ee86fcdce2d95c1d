/* A planner of another version, as far as that is looked at. */
#include <stddef.h>

struct table {
    size_t size;
    const char *version;
};
extern const struct table plani_planner_table;
__attribute__((visibility("default"))) const struct table plani_planner_table = {sizeof(struct table), "99.0.0"};
