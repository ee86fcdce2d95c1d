/* Texts grow, numbers are read back exactly, strings are escaped. */
#include "suite.h"
#include "alloc.h"
#include "lib/base/text.h"
#include <float.h>
#include <locale.h>
#include <string.h>

static void numbers_read_back_as_they_were(void)
{
    static const double x[] = {
        0, 1, -2.5, 1e-6, 0.1, 1.0 / 3, DBL_MAX, DBL_MIN, 5e-324, 1e15, 123456789012345678.0, -1e-300};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        plani_text_t t = {0};
        char *text = NULL;
        plani_text_add_double(&t, x[i]);
        CU_ASSERT_EQUAL_FATAL(plani_text_take(&t, &text), PLAN_OK);
        CU_ASSERT_EQUAL(strtod(text, NULL), x[i]);
        free(text);
    }
}

static void numbers_are_short_and_have_a_point_in_every_locale(void)
{
    plani_text_t t = {0};
    char *text = NULL;
    setlocale(LC_ALL, "de_DE.UTF-8"); /* with a comma, where it is installed */
    plani_text_add_double(&t, 0.1);
    plani_text_add(&t, " ");
    plani_text_add_double(&t, 1.5e-7);
    setlocale(LC_ALL, "C");
    CU_ASSERT_EQUAL_FATAL(plani_text_take(&t, &text), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(text, "0.1 1.5e-07");
    free(text);
}

static void strings_are_escaped(void)
{
    plani_text_t t = {0};
    char *text = NULL;
    plani_text_add_quoted(&t, "a\"b\\c\n\x01 \xc3\xa4");
    plani_text_add_quoted(&t, NULL);
    CU_ASSERT_EQUAL_FATAL(plani_text_take(&t, &text), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(text, "\"a\\\"b\\\\c\\u000a\\u0001 \xc3\xa4\"null");
    free(text);
}

static plan_status_t write_much(char **text)
{
    char word[1000];
    plani_text_t t = {0};
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    for (int i = 0; i < 100; i++) plani_text_add(&t, "%s%d", word, i % 10);
    return plani_text_take(&t, text);
}

static void long_texts_grow_or_fail_whole(void)
{
    char *text = NULL;
    ALLOC_EACH(write_much(&text), CU_ASSERT_EQUAL(status, PLAN_ENOMEM); CU_ASSERT_PTR_NULL(text));
    CU_ASSERT_EQUAL(strlen(text), 100000);
    CU_ASSERT_EQUAL(text[99999], '9');
    free(text);
}

static void nothing_added_is_an_empty_text(void)
{
    plani_text_t t = {0};
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_text_take(&t, &text), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(text, "");
    free(text);
}

SUITE_MAIN("text", TEST(numbers_read_back_as_they_were), TEST(numbers_are_short_and_have_a_point_in_every_locale),
           TEST(strings_are_escaped), TEST(long_texts_grow_or_fail_whole), TEST(nothing_added_is_an_empty_text))
