#include "endurance.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad(const char *option, const char *value)
{
    fprintf(stderr, "bench_endurance: %s %s: see bench/endurance/run --help\n", option, value ? value : "");
    return 2;
}

static bool number(const char *text, double least, double most, double *out)
{
    char *end = "";
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= least && *out <= most;
}

/* Options that take a number. */
static bool take(options_t *o, const char *name, const char *value)
{
    double x;
    if (!number(value, 0, 9e15, &x)) return false;
    if (strcmp(name, "--seed") == 0)
        o->seed = (uint64_t)x;
    else if (strcmp(name, "--case") == 0)
        o->first = (long)x, o->cases = 1;
    else if (strcmp(name, "--first") == 0)
        o->first = (long)x;
    else if (strcmp(name, "--cases") == 0)
        o->cases = (long)x;
    else if (strcmp(name, "--seconds") == 0)
        o->seconds = x;
    else if (strcmp(name, "--most") == 0)
        o->most = (size_t)x;
    else if (strcmp(name, "--hollow") == 0)
        o->hollow = x > 0;
    else if (strcmp(name, "--misuse") == 0)
        o->misuse = x > 0;
    else if (strcmp(name, "--check") == 0)
        o->check = x > 0;
    else if (strcmp(name, "--tell") == 0)
        o->tell = (long)x;
    else if (strcmp(name, "--stop") == 0)
        o->stop_s = x;
    else if (strcmp(name, "--patience") == 0)
        o->patience_s = (int)(x < 86400 ? x : 86400);
    else if (strcmp(name, "--threads") == 0 && x >= 1 && x <= MOST_THREADS)
        o->threads = (int)x;
    else
        return false;
    return true;
}

int options_read(int argc, char **argv, options_t *o)
{
    *o = (options_t){.seed = 1,
                     .seconds = 60,
                     .most = 4 << 20,
                     .threads = 1,
                     .patience_s = 100,
                     .tell = -1,
                     .hollow = true,
                     .misuse = true};
    const char *replay = getenv("ENDURANCE_REPLAY");
    o->replay = replay ? replay : "bench_endurance";
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) return bad(argv[i], NULL);
        if (strcmp(argv[i], "--only") == 0)
            o->only = argv[i + 1];
        else if (strcmp(argv[i], "--ready") == 0)
            o->ready = argv[i + 1];
        else if (!take(o, argv[i], argv[i + 1]))
            return bad(argv[i], argv[i + 1]);
    }
    return 0;
}
