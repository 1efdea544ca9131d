/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "core/events/formula.h"

#include "core/base/text.h"

#define DEPTH 8u /* values, and operators, that wait */

struct formula {
    const struct formula_values *values;
    double numbers[DEPTH];
    char operators[DEPTH];
    unsigned n_numbers, n_operators;
    enum status st;
    bool absent;
};

/* The next word, cut at blanks; false: there is none, or it is too long. */
static bool formula_word(const char **at, char word[FORMULA_WORD])
{
    unsigned n = 0;

    while (**at == ' ')
        (*at)++;
    for (; **at && **at != ' ' && n + 1 < FORMULA_WORD; (*at)++)
        word[n++] = **at;
    word[n] = '\0';
    return n > 0 && (**at == ' ' || **at == '\0');
}

/* "64", "0.5", "1e9" */
static bool formula_number(const char *word, double *value)
{
    double scale = 1;
    bool fraction = false;

    if (*word < '0' || *word > '9')
        return false;
    for (*value = 0; (*word >= '0' && *word <= '9') || (*word == '.' && !fraction); word++) {
        fraction |= *word == '.';
        if (*word == '.')
            continue;
        *value = *value * 10 + (*word - '0');
        scale *= fraction ? 10 : 1;
    }
    *value /= scale;
    if (*word == 'e')
        for (word++; *word >= '1' && *word <= '9'; word++)
            for (char c = '0'; c < *word; c++)
                *value *= 10;
    return *word == '\0';
}

static unsigned precedence(char op)
{
    return op == '*' || op == '/' ? 2 : op == '+' || op == '-' ? 1 : 0;
}

static void push_number(struct formula *f, double value)
{
    if (f->n_numbers == DEPTH)
        f->st = ST_CORRUPT;
    else
        f->numbers[f->n_numbers++] = value;
}

/* The last op, on the last two numbers. */
static void apply(struct formula *f)
{
    char op = f->operators[--f->n_operators];
    double a, b;

    if (f->n_numbers < 2) {
        f->st = ST_CORRUPT;
        return;
    }
    b = f->numbers[--f->n_numbers];
    a = f->numbers[f->n_numbers - 1];
    f->numbers[f->n_numbers - 1] = op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : a / b;
}

static void push_operator(struct formula *f, char op)
{
    while (op != '(' && f->n_operators && precedence(f->operators[f->n_operators - 1]) >= precedence(op) &&
           f->st == ST_OK)
        apply(f);
    if (f->n_operators == DEPTH)
        f->st = ST_CORRUPT;
    else
        f->operators[f->n_operators++] = op;
}

static void close_parenthesis(struct formula *f)
{
    while (f->st == ST_OK && f->n_operators && f->operators[f->n_operators - 1] != '(')
        apply(f);
    if (f->n_operators == 0)
        f->st = ST_CORRUPT;
    else
        f->n_operators--;
}

static void push_event(struct formula *f, const char *event, enum formula_of of)
{
    double value = 0;

    if (!f->values->value(f->values->context, event, of, &value))
        f->absent = true;
    push_number(f, value);
}

/* "mean( event )" after its first word. */
static void push_function(struct formula *f, const char **at, enum formula_of of)
{
    char event[FORMULA_WORD], end[FORMULA_WORD];

    if (formula_word(at, event) && formula_word(at, end) && text_equal(end, ")"))
        push_event(f, event, of);
    else
        f->st = ST_CORRUPT;
}

enum status formula_evaluate(const char *formula, const struct formula_values *values, double *result)
{
    struct formula f = { .values = values };
    bool wants_value = true;
    const char *at = formula;
    char word[FORMULA_WORD];
    double number;

    while (f.st == ST_OK && formula_word(&at, word)) {
        bool op = word[1] == '\0' && precedence(word[0]) > 0, closes = text_equal(word, ")");
        bool opens = text_equal(word, "(");

        if ((op || closes) == wants_value)
            return ST_CORRUPT;
        wants_value = op || opens;
        if (op || opens)
            push_operator(&f, word[0]);
        else if (closes)
            close_parenthesis(&f);
        else if (text_equal(word, "mean("))
            push_function(&f, &at, FORMULA_MEAN);
        else if (text_equal(word, "bytes("))
            push_function(&f, &at, FORMULA_BYTES);
        else if (text_equal(word, "boxes("))
            push_function(&f, &at, FORMULA_BOXES);
        else if (formula_number(word, &number))
            push_number(&f, number);
        else
            push_event(&f, word, FORMULA_SUM);
    }
    while (f.st == ST_OK && f.n_operators) {
        if (f.operators[f.n_operators - 1] == '(')
            return ST_CORRUPT;
        apply(&f);
    }
    if (f.st != ST_OK || f.n_numbers != 1 || wants_value || *at != '\0') /* at: after what fits of a long word */
        return ST_CORRUPT;
    if (f.absent)
        return ST_ABSENT;
    *result = f.numbers[0];
    return ST_OK;
}
