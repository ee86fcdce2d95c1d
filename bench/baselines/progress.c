/* The progress bar of the whole run, of which this program is a part, on standard error. */
#include "baselines.h"
#include <stdio.h>
#include <time.h>

const char *bytes_text(size_t n, char text[32])
{
    if (n == 0 || n % 1024 != 0)
        snprintf(text, 32, "%zu B", n);
    else if (n % (1 << 20) != 0)
        snprintf(text, 32, "%zu KiB", n >> 10);
    else
        snprintf(text, 32, "%zu MiB", n >> 20);
    return text;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* "[########............]  40%  three-sites, 1 MiB, 2:41 to go", on a line that the next one replaces. */
void progress_say(const options_t *o, const char *what)
{
    enum { WIDTH = 30 };
    char bar[WIDTH + 1];

    if (!o->progress) return;
    double spent = now() - o->since_s, total = o->total_s > spent ? o->total_s : spent;
    int full = (int)(WIDTH * spent / total), left = (int)(total - spent);
    for (int i = 0; i < WIDTH; i++) bar[i] = i < full ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r\033[K[%s] %3.0f%%  %s, %s, %d:%02d to go", bar, 100 * spent / total, o->title, what, left / 60,
            left % 60);
    fflush(stderr);
}

void progress_go_on(const options_t *o, size_t bytes)
{
    static double said;
    char text[32];
    if (!o->progress || now() < said + 1) return;
    said = now();
    progress_say(o, bytes_text(bytes, text));
}

void progress_unsay(const options_t *o)
{
    if (o->progress) fprintf(stderr, "\r\033[K");
}
