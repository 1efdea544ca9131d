#include "core/options.h"

#include <string.h>

#include "core/text.h"

const char *const options_mp_names[] = { "auto", "blocking", "sipi", "bsp", NULL };
const char *const options_load_names[] = { "read", "write", "nt-write", "none", NULL };
const char *const options_exit_names[] = { "return", "menu", "shutdown", "reboot", "qemu", NULL };

/* --- the table --------------------------------------------------------------------------------------------------- */

enum option {
    OPT_HELP,
    OPT_LIST,
    OPT_VERSION,
    OPT_T,
    OPT_SKIP,
    OPT_O,
    OPT_CPUS,
    OPT_MEM,
    OPT_REPEAT,
    OPT_V,
    OPT_Q,
    OPT_MP,
    OPT_EXIT,
    OPT_CONFIG,
    OPT_COUNT,
    OPT_LOAD,
    OPT_SIZE,
};

struct option_name {
    const char *name; /* without the dash */
    enum option option;
};

static const struct option_name names[] = {
    { "h", OPT_HELP },
    { "?", OPT_HELP },
    { "-help", OPT_HELP },
    { "list", OPT_LIST },
    { "version", OPT_VERSION },
    { "t", OPT_T },
    { "skip", OPT_SKIP },
    { "o", OPT_O },
    { "cpus", OPT_CPUS },
    { "mem", OPT_MEM },
    { "repeat", OPT_REPEAT },
    { "v", OPT_V },
    { "q", OPT_Q },
    { "mp", OPT_MP },
    { "exit", OPT_EXIT },
    { "config", OPT_CONFIG },
    { "count", OPT_COUNT },
    { "load", OPT_LOAD },
    { "size", OPT_SIZE },
};

static const struct option_name *find(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_equal(names[i].name, name))
            return &names[i];
    return NULL;
}

static bool is_flag(enum option o)
{
    return o == OPT_HELP || o == OPT_LIST || o == OPT_VERSION || o == OPT_Q;
}

static bool is_list(enum option o)
{
    return o == OPT_T || o == OPT_SKIP;
}

/* Who said so. A stronger voice replaces what a weaker one said; two of the same strength contradict each other. */
enum voice { VOICE_NONE, VOICE_FILE, VOICE_BOARD, VOICE_LINE };

static enum voice voice_of(const struct options *o, enum option option)
{
    return (enum voice)(o->given >> (2 * (unsigned)option) & 3);
}

static void set_voice(struct options *o, enum option option, enum voice voice)
{
    unsigned at = 2 * (unsigned)option;

    o->given = (o->given & ~(UINT64_C(3) << at)) | (uint64_t)voice << at;
}

void options_default(struct options *o)
{
    memset(o, 0, sizeof *o);
    text_format(o->folder, sizeof o->folder, "\\assay\\reports");
    o->repeat = 1;
    o->verbose = 1;
    o->size_bytes = OPTIONS_SIZE;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

/* Reads "N" or "N-M" at *text and steps behind it. */
static bool read_range(const char **text, uint64_t *lo, uint64_t *hi)
{
    uint64_t n[2] = { 0, 0 };
    unsigned i = 0;

    for (;; (*text)++) {
        unsigned digits = 0;

        for (; **text >= '0' && **text <= '9'; (*text)++, digits++)
            if (digits < 8)
                n[i] = n[i] * 10 + (uint64_t)(**text - '0');
        if (digits == 0 || digits > 8)
            return false;
        if (i == 1 || **text != '-')
            break;
        i = 1;
    }
    *lo = n[0];
    *hi = i == 1 ? n[1] : n[0];
    return true;
}

/* NULL, or what is wrong with a list of processors. */
static const char *cpus_fault(const char *list)
{
    uint64_t lo, hi;

    for (;;) {
        if (!read_range(&list, &lo, &hi))
            return "is not a list like 0-3,8";
        if (lo > hi)
            return "has a range that runs backwards";
        if (hi > OPTIONS_CPU_MAX)
            return "names a processor beyond 4095";
        if (*list == '\0')
            return NULL;
        if (*list++ != ',')
            return "is not a list like 0-3,8";
    }
}

bool options_has_cpu(const struct options *o, uint32_t cpu)
{
    const char *list = o->cpus;
    uint64_t lo, hi;

    if (*list == '\0')
        return true;
    while (read_range(&list, &lo, &hi)) {
        if (cpu >= lo && cpu <= hi)
            return true;
        if (*list++ != ',')
            break;
    }
    return false;
}

static const char *text_fault(const char *value)
{
    if (*value == '\0')
        return "is empty";
    if (strlen(value) >= OPTIONS_TEXT)
        return "is longer than 127 characters";
    for (const char *c = value; *c; c++)
        if (*c < 0x20 || *c > 0x7E)
            return "holds a character that is not printable ASCII";
    return NULL;
}

/* Characters that no file name on FAT may hold; ':' would name another volume. */
static const char *path_fault(const char *value)
{
    const char *fault = text_fault(value);

    for (const char *c = value; *c && !fault; c++)
        for (const char *bad = "*?\"<>|:"; *bad; bad++)
            if (*c == *bad)
                fault = "holds a character that a path may not have";
    return fault;
}

static int choice(const char *const *choices, const char *value)
{
    for (int i = 0; choices[i]; i++)
        if (text_equal(choices[i], value))
            return i;
    return -1;
}

/* NULL and *number where the value is a number inside the bounds. */
static const char *number_fault(enum option option, const char *value, uint64_t *number)
{
    if (option == OPT_MEM) {
        if (!text_size(value, number))
            return "is not a size like 512M";
        if (*number < OPTIONS_MEM_MIN || *number > OPTIONS_MEM_MAX)
            return "is outside 16M to 64T";
        return NULL;
    }
    if (option == OPT_SIZE) {
        if (!text_size(value, number))
            return "is not a size like 64M";
        if (*number < OPTIONS_SIZE_MIN || *number > OPTIONS_SIZE_MAX)
            return "is outside 64K to 1G";
        return NULL;
    }
    if (!text_number(value, number))
        return "is not a number";
    if (option == OPT_REPEAT && (*number < 1 || *number > 1000000))
        return "is outside 1 to 1000000";
    if (option == OPT_V && *number > 3)
        return "is outside 0 to 3";
    return NULL;
}

enum { LIST_CHECKS = 1, LIST_BOXES = 2 };

struct value { /* what was read, before anything is changed */
    uint64_t number;
    int choice;
};

/* NULL, or what is wrong with the value, so that "-mem "12X" is not a size" reads as a sentence. */
static const char *value_fault(enum option option, const char *text, struct value *v)
{
    switch (option) {
    case OPT_T:
    case OPT_SKIP:
    case OPT_COUNT:
        return text_fault(text);
    case OPT_O:
    case OPT_CONFIG:
        return path_fault(text);
    case OPT_CPUS:
        return text_fault(text) ? text_fault(text) : cpus_fault(text);
    case OPT_MEM:
    case OPT_SIZE:
    case OPT_REPEAT:
    case OPT_V:
        return number_fault(option, text, &v->number);
    case OPT_MP:
        v->choice = choice(options_mp_names, text);
        return v->choice < 0 ? "is none of auto, blocking, sipi, bsp" : NULL;
    case OPT_EXIT:
        v->choice = choice(options_exit_names, text);
        return v->choice < 0 ? "is none of return, menu, shutdown, reboot, qemu" : NULL;
    case OPT_LOAD:
        v->choice = choice(options_load_names, text);
        return v->choice < 0 ? "is none of read, write, nt-write, none" : NULL;
    case OPT_LIST:
        v->choice = text_equal(text, "yes") ? LIST_CHECKS : text_equal(text, "no") ? 0 : LIST_BOXES;
        return v->choice == LIST_BOXES && !text_equal(text, "boxes") ? "is none of yes, no, boxes" : NULL;
    case OPT_HELP:
    case OPT_VERSION:
    case OPT_Q:
        v->choice = text_equal(text, "yes") ? 1 : text_equal(text, "no") ? 0 : -1;
        return v->choice < 0 ? "is neither yes nor no" : NULL;
    }
    return NULL;
}

static void copy_text(char *to, const char *from)
{
    text_format(to, OPTIONS_TEXT, "%s", from);
}

/* The value was found good. false: no room for one pattern more. */
static bool apply(struct options *o, enum option option, const char *text, const struct value *v)
{
    uint32_t *n = option == OPT_T ? &o->n_tests : &o->n_skips;

    switch (option) {
    case OPT_T:
    case OPT_SKIP:
        if (*n == OPTIONS_PATTERNS)
            return false;
        copy_text(option == OPT_T ? o->tests[*n] : o->skips[*n], text);
        (*n)++;
        break;
    case OPT_O:
        copy_text(o->folder, text);
        break;
    case OPT_CONFIG:
        copy_text(o->config, text);
        break;
    case OPT_CPUS:
        copy_text(o->cpus, text);
        break;
    case OPT_MEM:
        o->mem_bytes = v->number;
        break;
    case OPT_REPEAT:
        o->repeat = (uint32_t)v->number;
        break;
    case OPT_V:
        o->verbose = (uint32_t)v->number;
        break;
    case OPT_MP:
        o->mp = (enum mp_choice)v->choice;
        break;
    case OPT_EXIT:
        o->exit = (enum exit_choice)v->choice;
        break;
    case OPT_HELP:
        o->help = v->choice;
        break;
    case OPT_LIST:
        o->list = v->choice == LIST_CHECKS;
        o->list_boxes = v->choice == LIST_BOXES;
        break;
    case OPT_COUNT:
        copy_text(o->count, text);
        break;
    case OPT_LOAD:
        o->load = (enum load_choice)v->choice;
        break;
    case OPT_SIZE:
        o->size_bytes = v->number;
        break;
    case OPT_VERSION:
        o->version = v->choice;
        break;
    case OPT_Q:
        o->quiet = v->choice;
        break;
    }
    return true;
}

/* Sets one option. NULL, or what is wrong. The caller has checked that this voice may be heard. */
static const char *set(struct options *o, enum option option, const char *text, enum voice voice)
{
    struct value v = { 0, 0 };
    const char *fault = value_fault(option, text, &v);

    if (fault || voice_of(o, option) > voice)
        return fault;
    if (is_list(option) && voice_of(o, option) < voice)
        *(option == OPT_T ? &o->n_tests : &o->n_skips) = 0;
    if (!apply(o, option, text, &v))
        return "is one pattern too many: 16 are possible";
    set_voice(o, option, voice);
    return NULL;
}

/* --- command line ------------------------------------------------------------------------------------------------ */

#define WORD 256u

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

enum word { WORD_NONE, WORD_OK, WORD_LONG, WORD_OPEN };

/* The next word, quotes taken off. */
static enum word next_word(const char **text, char *word)
{
    size_t n = 0;
    bool quoted = false;

    while (is_blank(**text))
        (*text)++;
    if (**text == '\0')
        return WORD_NONE;
    for (; **text && (quoted || !is_blank(**text)); (*text)++) {
        if (**text == '"') {
            quoted = !quoted;
            continue;
        }
        if (n + 1 >= WORD)
            return WORD_LONG;
        word[n++] = **text;
    }
    word[n] = '\0';
    return quoted ? WORD_OPEN : WORD_OK;
}

static enum status refuse(struct options_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static enum status refuse(struct options_error *error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vformat(error->text, sizeof error->text, format, args);
    va_end(args);
    /* The text goes to a console: what was typed may hold anything. */
    for (char *c = error->text; *c; c++)
        if (*c < 0x20 || *c > 0x7E)
            *c = '?';
    return ST_RANGE;
}

static enum status refuse_word(struct options_error *error, enum word kind)
{
    return kind == WORD_OPEN ? refuse(error, "a double quote is not closed")
                             : refuse(error, "a word of the command line is longer than %u characters", WORD - 1);
}

static enum status parse_option(struct options *o, const char *word, const char **text, struct options_error *error)
{
    const struct option_name *n = find(word + 1);
    char value[WORD];
    enum word kind;
    const char *fault;

    if (!n)
        return refuse(error, "unknown option \"%.100s\"; -h shows all", word);
    if (!is_list(n->option) && !is_flag(n->option) && voice_of(o, n->option) == VOICE_LINE)
        return refuse(error, "%s is given twice", word);
    if (is_flag(n->option)) {
        const char *behind = *text;
        bool boxes = n->option == OPT_LIST && next_word(&behind, value) == WORD_OK && text_equal(value, "boxes");

        if (boxes)
            *text = behind;
        fault = set(o, n->option, boxes ? "boxes" : "yes", VOICE_LINE);
        return fault ? refuse(error, "%s %s", word, fault) : ST_OK;
    }
    kind = next_word(text, value);
    if (kind == WORD_LONG || kind == WORD_OPEN)
        return refuse_word(error, kind);
    if (kind == WORD_NONE)
        return refuse(error, "%s needs a value", word);
    if (value[0] == '-')
        return refuse(error, "%s needs a value, but \"%.100s\" follows", word, value);
    fault = set(o, n->option, value, VOICE_LINE);
    return fault ? refuse(error, "%s \"%.100s\" %s", word, value, fault) : ST_OK;
}

enum status options_parse_line(struct options *o, const char *text, struct options_error *error)
{
    char word[WORD];
    bool first = true;

    error->text[0] = '\0';
    for (;; first = false) {
        enum word kind = next_word(&text, word);

        if (kind == WORD_NONE)
            return ST_OK;
        if (kind != WORD_OK)
            return refuse_word(error, kind);
        if (word[0] != '-') {
            if (first)
                continue; /* the program's name */
            return refuse(error, "unexpected word \"%.100s\": options begin with '-'", word);
        }
        enum status st = parse_option(o, word, &text, error);

        if (st != ST_OK)
            return st;
    }
}

/* --- assay.cfg --------------------------------------------------------------------------------------------------- */

#define LINE 255u

struct parser {
    struct options *options;
    struct options_error *error;
    const char *file_name, *baseboard;
    uint32_t line;
    bool in_section, heard; /* heard: the section is for this board */
    bool board_seen;        /* this board's section stood already   */
    uint64_t seen;          /* bit per option, in this section      */
};

static enum status refuse_line(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static enum status refuse_line(struct parser *p, const char *format, ...)
{
    char what[200];
    va_list args;

    va_start(args, format);
    text_vformat(what, sizeof what, format, args);
    va_end(args);
    return refuse(p->error, "%.48s line %u: %s", p->file_name, p->line, what);
}

/* Cut blanks off both ends, in place. */
static char *trim(char *text)
{
    size_t n;

    while (is_blank(*text))
        text++;
    n = strlen(text);
    while (n > 0 && is_blank(text[n - 1]))
        n--;
    text[n] = '\0';
    return text;
}

/* Takes the quotes off a value. NULL: a quote that is not closed, or text behind it. */
static char *unquote(char *value)
{
    char *end;

    if (*value != '"') {
        for (char *c = value; *c; c++)
            if (*c == '"')
                return NULL;
        return value;
    }
    for (end = value + 1; *end && *end != '"'; end++)
        ;
    if (*end == '\0' || end[1] != '\0')
        return NULL;
    *end = '\0';
    return value + 1;
}

static enum status parse_section(struct parser *p, char *text)
{
    size_t n = strlen(text);
    char *name;

    if (text[n - 1] != ']')
        return refuse_line(p, "a section needs a closing ']'");
    text[n - 1] = '\0';
    text = trim(text + 1);
    if (strncmp(text, "baseboard", 9) != 0 || (text[9] != '\0' && !is_blank(text[9])))
        return refuse_line(p, "unknown section \"%.60s\": only [baseboard NAME] is known", text);
    name = unquote(trim(text + 9));
    if (!name || *name == '\0')
        return refuse_line(p, "[baseboard NAME] needs a name");
    p->in_section = true;
    p->seen = 0;
    p->heard = p->baseboard[0] != '\0' && text_equal(name, p->baseboard);
    if (p->heard && p->board_seen)
        return refuse_line(p, "a second section for baseboard \"%.60s\"", name);
    p->board_seen = p->board_seen || p->heard;
    return ST_OK;
}

static enum status parse_setting(struct parser *p, char *text)
{
    char *equals = text, *key, *value;
    const struct option_name *n;
    const char *fault;
    uint64_t bit;

    while (*equals && *equals != '=')
        equals++;
    if (*equals == '\0')
        return refuse_line(p, "\"%.60s\" is not `key = value`", text);
    *equals = '\0';
    key = trim(text);
    n = key[0] == '-' ? NULL : find(key);
    if (!n)
        return refuse_line(p, "unknown key \"%.60s\"", key);
    if (n->option == OPT_CONFIG)
        return refuse_line(p, "config can only stand on the command line");
    value = unquote(trim(equals + 1));
    if (!value)
        return refuse_line(p, "%s: a double quote is not closed, or stands inside the value", key);
    bit = UINT64_C(1) << n->option;
    if ((p->seen & bit) && !is_list(n->option))
        return refuse_line(p, "%s is set twice", key);
    p->seen |= bit;
    if (p->in_section && !p->heard) { /* for another board: checked, and not set */
        struct value ignored;

        fault = value_fault(n->option, value, &ignored);
    } else {
        fault = set(p->options, n->option, value, p->in_section ? VOICE_BOARD : VOICE_FILE);
    }
    return fault ? refuse_line(p, "%s = \"%.60s\" %s", key, value, fault) : ST_OK;
}

/* A '#' outside quotes begins a comment. */
static void cut_comment(char *text)
{
    bool quoted = false;

    for (; *text; text++) {
        if (*text == '"')
            quoted = !quoted;
        if (*text == '#' && !quoted) {
            *text = '\0';
            return;
        }
    }
}

static enum status parse_line(struct parser *p, char *text)
{
    cut_comment(text);
    text = trim(text);
    for (char *c = text; *c; c++)
        if ((*c < 0x20 && *c != '\t') || *c > 0x7E)
            return refuse_line(p, "holds a character that is not printable ASCII");
    if (*text == '\0')
        return ST_OK;
    return *text == '[' ? parse_section(p, text) : parse_setting(p, text);
}

static bool has_zero(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\0')
            return true;
    return false;
}

enum status options_parse_file(struct options *o, const char *text, size_t length, const char *file_name,
                               const char *baseboard, struct options_error *error)
{
    struct parser p = { .options = o, .error = error, .file_name = file_name, .baseboard = baseboard };
    char line[LINE + 1];
    size_t at = 0;

    error->text[0] = '\0';
    if (length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0))
        return refuse(error, "%.48s: this is UTF-16; save it as plain text (ASCII or UTF-8)", file_name);
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        at = 3;
    while (at < length) {
        size_t n = 0;
        enum status st;

        p.line++;
        while (at + n < length && text[at + n] != '\n')
            n++;
        if (has_zero(text + at, n))
            return refuse_line(&p, "holds a zero byte: this is not a text file");
        if (n > LINE + (n > 0 && text[at + n - 1] == '\r'))
            return refuse_line(&p, "is longer than %u characters", LINE);
        size_t kept = n > LINE ? LINE : n;

        memcpy(line, text + at, kept);
        line[kept] = '\0';
        st = parse_line(&p, line);
        if (st != ST_OK)
            return st;
        at += n + 1;
    }
    return ST_OK;
}

/* --- texts ------------------------------------------------------------------------------------------------------- */

const char options_help[] = "assay.efi [options]    validates the shared-resource monitors of this machine\n"
                            "\n"
                            "  -h, -?, --help       this text\n"
                            "  -list                every check, its rule, and what it needs; checks nothing\n"
                            "  -list boxes          every uncore box of this machine, and where it is\n"
                            "  -version             version, commit and build id\n"
                            "  -count EVENTS        count uncore events instead of checking: imc/cas_rd,\n"
                            "                       cha/0x37:0x0f (unit/event, unit/code:umask[:extension])\n"
                            "  -load KIND           meanwhile, on a processor of each package: read, write,\n"
                            "                       nt-write, none (read)\n"
                            "  -size SIZE           over so much memory of each, 64K to 1G (64M)\n"
                            "  -t PATTERN           run only checks whose id matches; may be repeated\n"
                            "  -skip PATTERN        leave out checks whose id matches; may be repeated\n"
                            "                       patterns are the shell's: cmt.*  qm.error-bit  *.rollover\n"
                            "  -o FOLDER            where reports go (\\assay\\reports), each run in a folder\n"
                            "                       of its own named by serial number and time\n"
                            "  -cpus LIST           processors that take part, by index: 0-3,8 (all); the\n"
                            "                       boot processor always does\n"
                            "  -mem SIZE            working memory per NUMA node at most, 16M and more;\n"
                            "                       suffixes K M G T (decided from the size of the L3)\n"
                            "  -repeat N            run the selection N times, 1 to 1000000 (1)\n"
                            "  -v N                 how much is shown: 0 what is wrong, 1 every check, 2 with\n"
                            "                       its measurements, 3 and what it cost (1)\n"
                            "  -q                   show the verdict only\n"
                            "  -mp METHOD           how processors are driven: auto, blocking, sipi, bsp\n"
                            "                       (auto)\n"
                            "  -exit HOW            what comes after: return, menu, shutdown, reboot, qemu\n"
                            "                       (return)\n"
                            "  -config FILE         read FILE instead of \\assay\\assay.cfg; \"none\" reads none\n"
                            "\n"
                            "assay.cfg holds the same names without the dash, one `key = value` a line; a\n"
                            "section [baseboard NAME] is for boards of that name alone. The command line wins\n"
                            "over the section, the section over the lines before it.\n"
                            "\n"
                            "Exit: 0 pass, 1 a check failed, 2 Assay could not do its job, 38 nothing could\n"
                            "be checked. With -exit qemu these go to the debug port 0xF4 (QEMU then exits\n"
                            "1, 3, 5, 77).\n";

const char options_sample_file[] = "# assay.cfg: options of assay.efi, one `key = value` a line. '#' begins a\n"
                                   "# comment. Every option stands here with an example or its default; take the '#'\n"
                                   "# away to set it. The command line wins over this file.\n"
                                   "\n"
                                   "# Checks to run, by id; shell patterns, the line may be repeated. Default: all.\n"
                                   "#t = cmt.*\n"
                                   "\n"
                                   "# Checks to leave out, the same way. Default: none.\n"
                                   "#skip = mbm.*\n"
                                   "\n"
                                   "# Where reports go. Each run makes a folder of its own in there.\n"
                                   "#o = \\assay\\reports\n"
                                   "\n"
                                   "# Processors that take part, by index. The boot processor always does. Default:\n"
                                   "# all.\n"
                                   "#cpus = 0-3,8\n"
                                   "\n"
                                   "# Working memory per NUMA node at most, 16M and more; suffixes K M G T. Default:\n"
                                   "# decided from the size of the L3.\n"
                                   "#mem = 512M\n"
                                   "\n"
                                   "# How often the selection runs, 1 to 1000000.\n"
                                   "#repeat = 1\n"
                                   "\n"
                                   "# How much is shown: 0 to 3.\n"
                                   "#v = 1\n"
                                   "\n"
                                   "# Show the verdict only: yes or no.\n"
                                   "#q = no\n"
                                   "\n"
                                   "# How processors are driven: auto, blocking, sipi (INIT-SIPI of Assay's own) or\n"
                                   "# bsp (the boot processor alone).\n"
                                   "#mp = auto\n"
                                   "\n"
                                   "# What comes after the run: return, menu, shutdown, reboot or qemu (the debug\n"
                                   "# port 0xF4).\n"
                                   "#exit = return\n"
                                   "\n"
                                   "# List the checks, show the version or this program's options, and check\n"
                                   "# nothing: yes or no.\n"
                                   "#list = no\n"
                                   "\n"
                                   "# Count uncore events instead of checking, while a load runs over so much\n"
                                   "# memory: unit/event or unit/code:umask; read, write, nt-write or none.\n"
                                   "#count = imc/cas_rd,cha/0x37:0x0f\n"
                                   "#load = read\n"
                                   "#size = 64M\n"
                                   "\n"
                                   "#version = no\n"
                                   "#h = no\n"
                                   "\n"
                                   "# What follows a section holds for one baseboard only (its product name in\n"
                                   "# SMBIOS, as `dmidecode -s baseboard-product-name` prints it), and wins over the\n"
                                   "# lines above.\n"
                                   "#[baseboard X10DRi]\n"
                                   "#skip = ubox.*\n";
