#include "markup.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64, NAME = 32, ATTRIBUTES = 24 };

typedef struct {
    const char *at;
    size_t depth;
    char open[DEPTH][NAME];
} reader_t;

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == ':';
}

static bool take_name(reader_t *r, char name[NAME])
{
    size_t n = 0;
    while (is_name(*r->at) && n + 1 < NAME) name[n++] = *r->at++;
    name[n] = '\0';
    return n > 0 && !is_name(*r->at);
}

/* "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" */
static bool take_entity(reader_t *r)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(r->at, known[i], strlen(known[i])) == 0) {
            r->at += strlen(known[i]);
            return true;
        }
    return false;
}

static bool take_attributes(reader_t *r)
{
    char seen[ATTRIBUTES][NAME];
    size_t n = 0;

    for (;;) {
        while (isspace((unsigned char)*r->at)) r->at++;
        if (*r->at == '>' || *r->at == '/') return true;
        if (n == ATTRIBUTES || !take_name(r, seen[n])) return false;
        for (size_t i = 0; i < n; i++)
            if (strcmp(seen[i], seen[n]) == 0) return false;
        n++;
        if (*r->at++ != '=' || *r->at++ != '"') return false;
        while (*r->at != '"') {
            if (*r->at == '\0' || *r->at == '<') return false;
            if (*r->at == '&' ? !take_entity(r) : !r->at++) return false;
        }
        r->at++;
    }
}

static bool take_tag(reader_t *r)
{
    char name[NAME];
    bool closes = *++r->at == '/';

    if (closes) r->at++;
    if (!take_name(r, name)) return false;
    if (closes) {
        if (*r->at++ != '>' || r->depth == 0) return false;
        return strcmp(r->open[--r->depth], name) == 0;
    }
    if (!take_attributes(r)) return false;
    if (*r->at == '/') {
        r->at++;
        return *r->at++ == '>';
    }
    if (*r->at++ != '>' || r->depth == DEPTH) return false;
    strcpy(r->open[r->depth++], name);
    return true;
}

const char *markup_error(const char *page)
{
    static const char first[] = "<!DOCTYPE html>\n";
    reader_t r = {.at = page};

    if (strncmp(page, first, strlen(first)) != 0) return page;
    r.at += strlen(first);
    while (*r.at != '\0') {
        const char *at = r.at;
        bool good = true;
        if (*r.at == '<')
            good = take_tag(&r);
        else if (*r.at == '&')
            good = take_entity(&r);
        else if ((unsigned char)*r.at < ' ' && *r.at != '\n')
            good = false;
        else
            r.at++;
        if (!good) return at;
    }
    return r.depth == 0 ? NULL : r.at;
}

size_t markup_count(const char *page, const char *what)
{
    size_t n = 0;
    for (const char *at = page; (at = strstr(at, what)) != NULL; at += strlen(what)) n++;
    return n;
}
