/* Round-robin tournament schedule by the circle method: with m odd, i and j are paired in the round where
 * i + j = round (mod m). The one with 2 i = round (mod m) is paired with the extra player m if n is even, else it is
 * free. */
#include "lib/mpi/measure/infer/infer.h"

int plani_rounds(int n)
{
    if (n < 2) return 0;
    return n % 2 ? n : n - 1;
}

int plani_partner(int n, int round, int i)
{
    int m = plani_rounds(n);

    if (m == 0) return -1;
    if (i == m) { /* the extra player, n even: the i with 2 i = round (mod m) */
        return round % 2 ? (round + m) / 2 : round / 2;
    }
    int j = ((round - i) % m + m) % m;
    if (j != i) return j;
    return n % 2 ? -1 : m;
}

void plani_pair(int n, int round, int nth, int *low, int *high)
{
    int skip = (nth + round) % (n / 2);

    for (*low = 0; *low < n; ++*low) {
        *high = plani_partner(n, round, *low);
        if (*high > *low && skip-- == 0) return;
    }
}

/* Of one round. */
static int meeting_steps(int n, int at_once)
{
    return 2 * ((n / 2 + at_once - 1) / at_once);
}

int plani_meeting_steps(int n, int at_once)
{
    return n < 2 ? 0 : meeting_steps(n, at_once) * plani_rounds(n);
}

bool plani_meets(int n, int at_once, bool turned, int step, int nth, int *from, int *to)
{
    int each = meeting_steps(n, at_once), now = step % each, low = 0, high = 0;
    bool back = (now % 2 == 1) != (turned && nth % 2 == 1);

    plani_pair(n, step / each, nth, &low, &high);
    *from = back ? high : low;
    *to = back ? low : high;
    return nth / at_once == now / 2;
}
