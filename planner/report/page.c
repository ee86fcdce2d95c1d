#include "planner/report/page.h"
#include <stdint.h>
#include <string.h>

enum { SERIES = 8 };

void plani_page_put(plani_text_t *to, const char *markup)
{
    plani_text_add(to, "%s", markup);
}

/* ---- text ---- */

/* Bytes of the UTF-8 character at s; 0: it is none, or has too many bytes for its code. *code: its code. */
static size_t decode(const unsigned char *s, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

    if (n == 0) return 0;
    *code = n == 1 ? s[0] : s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (s[i] & 0x3f);
    }
    return *code >= least[n] && *code <= 0x10ffff ? n : 0;
}

/* Whether it may not be shown: control characters, halves of UTF-16, what is no character, changes of direction. */
static bool is_unfit(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code < 0xe000) ||
           (code & 0xfffe) == 0xfffe || (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

void plani_page_text(plani_text_t *to, const char *s)
{
    while (*s != '\0') {
        uint32_t code = 0;
        size_t n = decode((const unsigned char *)s, &code);
        const char *escaped = n == 0 || is_unfit(code) ? "?"
                              : *s == '&'              ? "&amp;"
                              : *s == '<'              ? "&lt;"
                              : *s == '>'              ? "&gt;"
                              : *s == '"'              ? "&quot;"
                              : *s == '\''             ? "&#39;"
                                                       : NULL;
        if (escaped != NULL)
            plani_page_put(to, escaped);
        else
            plani_text_add(to, "%.*s", (int)n, s);
        s += n > 0 ? n : 1;
    }
}

plani_label_t plani_label(const char *name)
{
    plani_label_t label = {""};
    size_t used = 0;

    while (*name != '\0') {
        uint32_t code = 0;
        size_t n = decode((const unsigned char *)name, &code);
        size_t needs = n == 0 || is_unfit(code) ? 1 : n;
        if (used + needs >= sizeof label.s) break;
        if (n == 0 || is_unfit(code))
            label.s[used] = '?';
        else
            memcpy(label.s + used, name, n);
        used += needs;
        name += n > 0 ? n : 1;
    }
    return label;
}

/* ---- the page ---- */

/* Colours of light and of dark pages; paper is light. */
#define LIGHT                                                                                                          \
    "--bg:#fff;--fg:#1b232d;--dim:#536071;--line:#c8d0d9;--panel:#f4f6f8;--card:#fff;--bar:#5b87b8;--slow:#8a5300;"    \
    "--slowbg:#fdf0d8;--slowbar:#d9920a;--worst:#b01e1e;--worstbg:#fde7e5;--worstbar:#cf3a32;--link:#1f5fa8;"          \
    "--c0:#1f5fa8;--c1:#c2560c;--c2:#22803f;--c3:#9b2f78;--c4:#7a6100;--c5:#574db0;--c6:#0f7480;--c7:#6b4a3a;"
#define DARK                                                                                                           \
    "--bg:#13171c;--fg:#e4e9ef;--dim:#9eabb9;--line:#3b4651;--panel:#1b2128;--card:#222a33;--bar:#6f9fd6;"             \
    "--slow:#f0b860;--slowbg:#3a2c10;--slowbar:#d9920a;--worst:#ff9189;--worstbg:#451b19;--worstbar:#e2554c;"          \
    "--link:#82b4f2;--c0:#7db0f2;--c1:#f29a5c;--c2:#6fcf8b;--c3:#e58cc6;--c4:#d9bd4a;--c5:#aba3f5;--c6:#5cc6d3;"       \
    "--c7:#c9a593;"

static const char *const style[] = {
    ":root{color-scheme:light dark;" LIGHT "}",
    "@media(prefers-color-scheme:dark){:root{" DARK "}}",
    "@media print{:root{color-scheme:light;" LIGHT "}}",
    "*{box-sizing:border-box;-webkit-print-color-adjust:exact;print-color-adjust:exact}",
    "html{-webkit-text-size-adjust:100%}",
    "body{margin:0 auto;padding:1rem 1rem 3rem;max-width:72rem;background:var(--bg);color:var(--fg);"
    "font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}",
    "h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0;overflow-wrap:anywhere}",
    "h2{font-size:1.15rem;margin:2.2rem 0 .6rem;padding-top:.6rem;border-top:1px solid var(--line)}",
    "h3{font-size:1rem;margin:1.2rem 0 .4rem}p{margin:.5rem 0;max-width:60rem;overflow-wrap:anywhere}",
    ".verdict{font-size:1.1rem;padding:.8rem 1rem;background:var(--panel);border-left:5px solid var(--worstbar)}",
    ".dim,small{color:var(--dim);font-size:.85rem}.facts{color:var(--dim)}",
    "nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem}a{color:var(--link)}",
    ".wide{overflow-x:auto;max-width:100%;margin:.6rem 0}.wide>svg{display:block}",
    "table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}",
    "th,td{padding:.25rem .7rem .25rem 0;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line);"
    "vertical-align:top}",
    "th{color:var(--dim);font-weight:600}th:first-child,td:first-child,.l{text-align:left}",
    "td small{display:block}tr.worst td{color:var(--worst);font-weight:600}tr.first td{font-weight:600}",
    ".group{border:1px solid var(--line);border-radius:8px;background:var(--panel);padding:.5rem .6rem;margin:.5rem 0}",
    ".head{display:flex;flex-wrap:wrap;gap:.15rem 1rem;align-items:center}.head .tag{order:1}",
    ".hosts{display:flex;flex-wrap:wrap;gap:.45rem;margin-top:.4rem}",
    ".host{flex:0 1 auto;min-width:9.8rem;max-width:22rem;background:var(--card);border:1px solid var(--line);"
    "border-radius:6px;padding:.3rem .5rem;overflow-wrap:anywhere}",
    ".host.worst,.group.worst{border:2px solid var(--worstbar)}",
    ".bar{display:grid;grid-template-columns:1.5rem 3.4rem "
    "auto;justify-content:start;align-items:center;gap:.25rem;font-size:.8rem}",
    ".bar i{display:block;height:.55rem;background:var(--bar);border-radius:2px}.bar em{font-style:normal;"
    "white-space:nowrap}",
    ".bar.slow i{background:var(--slowbar)}.bar.worst i{background:var(--worstbar)}",
    ".bar.slow em{color:var(--slow);font-weight:600}.bar.worst em{color:var(--worst);font-weight:600}",
    ".tag{font-size:.75rem;padding:0 .35rem;border-radius:4px;white-space:nowrap}",
    ".tag.slow{color:var(--slow);background:var(--slowbg)}.tag.worst{color:var(--worst);background:var(--worstbg)}",
    ".chips{display:flex;flex-wrap:wrap;gap:.3rem}.chips span{border:1px solid var(--line);border-radius:4px;"
    "padding:.05rem .4rem;background:var(--card)}.chips .root{background:var(--fg);color:var(--bg)}",
    ".maps{display:flex;flex-wrap:wrap;gap:1rem 2rem}.maps>div{max-width:100%}",
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;font-size:.85rem;margin:.3rem 0}",
    ".legend svg{vertical-align:middle;margin-right:.3rem}",
    "dl{display:grid;grid-template-columns:minmax(7rem,auto) 1fr;gap:.2rem 1rem;font-size:.9rem}dt{color:var(--dim)}",
    "dd{margin:0;overflow-wrap:anywhere}",
    "svg{font:11px system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif}svg text{fill:var(--fg)}"
    "svg .dim{fill:var(--dim);font-size:11px}svg .grid{stroke:var(--line);stroke-width:1}",
    "svg .edge{fill:none;stroke:var(--dim);stroke-width:1.4}svg .edge.worst{stroke:var(--worstbar);stroke-width:3}",
    "svg .node{fill:var(--card);stroke:var(--dim)}svg .node.root{fill:var(--fg);stroke:var(--fg)}svg text.root{"
    "fill:var(--bg)}svg .node.worst{stroke:var(--worstbar);stroke-width:2.5}svg .node.again{stroke-dasharray:4 3}",
    "svg .g0{fill:#dbe8f7}svg .g1{fill:#fbe5d3}svg .g2{fill:#dcf1e2}svg .g3{fill:#f5deee}svg .g4{fill:#f5edc6}"
    "svg .g5{fill:#e5e1fa}svg .on{fill:#1b232d}",
    "svg .h0{fill:#f4efe4}svg .h1{fill:#f0dcbf}svg .h2{fill:#ecc292}svg .h3{fill:#e4a069}svg .h4{fill:#d57748}"
    "svg .h5{fill:#b94a31}svg .h6{fill:#8f2323}svg text.i5,svg text.i6{fill:#fff}svg text.i0,svg text.i1,"
    "svg text.i2,svg text.i3,svg text.i4{fill:#1b1b1b}",
    "svg .s0{stroke:var(--c0)}svg .s1{stroke:var(--c1)}svg .s2{stroke:var(--c2)}svg .s3{stroke:var(--c3)}"
    "svg .s4{stroke:var(--c4)}svg .s5{stroke:var(--c5)}svg .s6{stroke:var(--c6)}svg .s7{stroke:var(--c7)}",
    "svg .f0{fill:var(--c0)}svg .f1{fill:var(--c1)}svg .f2{fill:var(--c2)}svg .f3{fill:var(--c3)}"
    "svg .f4{fill:var(--c4)}svg .f5{fill:var(--c5)}svg .f6{fill:var(--c6)}svg .f7{fill:var(--c7)}",
    "svg .line{fill:none;stroke-width:2}svg .mark{stroke:var(--bg);stroke-width:1}svg .pale{opacity:.55}",
    "@media print{body{max-width:none;padding:0;font-size:11px}nav{display:none}h2{break-after:avoid}"
    ".host,tr,svg{break-inside:avoid}.wide{overflow:visible}.wide>svg{max-width:100%;height:auto}}",
};

void plani_page_begin(plani_text_t *to, const char *title)
{
    plani_page_put(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>");
    plani_page_text(to, title);
    plani_page_put(to, "</title>\n<style>\n");
    for (size_t i = 0; i < sizeof style / sizeof *style; i++) plani_text_add(to, "%s\n", style[i]);
    plani_page_put(to, "</style>\n</head>\n<body>\n");
}

void plani_page_end(plani_text_t *to)
{
    plani_page_put(to, "</body>\n</html>\n");
}

void plani_page_heading(plani_text_t *to, const char *id, const char *title)
{
    plani_text_add(to, "<h2 id=\"%s\">", id);
    plani_page_text(to, title);
    plani_page_put(to, "</h2>\n");
}

int plani_page_series(unsigned i)
{
    return (int)(i % SERIES);
}
