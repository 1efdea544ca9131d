/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* core/stream/stream_members.c: what the lines of a stream may have, and where it goes in struct stream_line. */
#include <string.h>

#include "core/base/search.h"
#include "core/base/text.h"
#include "core/stream/stream_reader_internal.h"

static const char *const artifacts[] = {
    [STREAM_SCHEMA] = "schemaVersion",
    [STREAM_RUN_START] = "testRunArtifact.testRunStart",
    [STREAM_RUN_END] = "testRunArtifact.testRunEnd",
    [STREAM_RUN_LOG] = "testRunArtifact.log",
    [STREAM_RUN_ERROR] = "testRunArtifact.error",
    [STREAM_STEP_START] = "testStepArtifact.testStepStart",
    [STREAM_STEP_END] = "testStepArtifact.testStepEnd",
    [STREAM_MEASUREMENT] = "testStepArtifact.measurement",
    [STREAM_SERIES_START] = "testStepArtifact.measurementSeriesStart",
    [STREAM_SERIES_ELEMENT] = "testStepArtifact.measurementSeriesElement",
    [STREAM_SERIES_END] = "testStepArtifact.measurementSeriesEnd",
    [STREAM_DIAGNOSIS] = "testStepArtifact.diagnosis",
    [STREAM_LOG] = "testStepArtifact.log",
    [STREAM_ERROR] = "testStepArtifact.error",
    [STREAM_FILE] = "testStepArtifact.file",
    [STREAM_EXTENSION] = "testStepArtifact.extension",
};
#define ARTIFACTS (sizeof artifacts / sizeof *artifacts)

/* MEMBER_ITEMS: an array of texts; MEMBER_LIST: one of objects; MEMBER_LISTED: a text in one of these. They are looked at and
 * not kept. */
enum member_type {
    MEMBER_TEXT,
    MEMBER_NUMBER,
    MEMBER_VALUE,
    MEMBER_X,
    MEMBER_OBJECT,
    MEMBER_ITEMS,
    MEMBER_LIST,
    MEMBER_LISTED
};

struct member {
    enum stream_kind kind;
    const char *path;
    enum member_type type;
    bool required;
    size_t field, size; /* of MEMBER_TEXT, in struct stream_line */
};

#define AT(member) offsetof(struct stream_line, member), sizeof((struct stream_line){ 0 }.member)

static const struct member members[] = {
    { STREAM_SCHEMA, "major", MEMBER_NUMBER, true, 0, 0 },
    { STREAM_RUN_START, "commandLine", MEMBER_TEXT, false, AT(message) },
    { STREAM_RUN_START, "parameters", MEMBER_OBJECT, false, 0, 0 },
    { STREAM_RUN_START, "parameters.t", MEMBER_ITEMS, false, 0, 0 },
    { STREAM_RUN_START, "parameters.skip", MEMBER_ITEMS, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo", MEMBER_OBJECT, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.dutInfoId", MEMBER_TEXT, false, AT(symptom) },
    { STREAM_RUN_START, "dutInfo.name", MEMBER_TEXT, false, AT(name) },
    { STREAM_RUN_START, "dutInfo.metadata", MEMBER_OBJECT, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.platformInfos", MEMBER_LIST, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.platformInfos.info", MEMBER_LISTED, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.softwareInfos", MEMBER_LIST, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.softwareInfos.softwareInfoId", MEMBER_LISTED, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.softwareInfos.name", MEMBER_LISTED, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.softwareInfos.version", MEMBER_LISTED, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.softwareInfos.revision", MEMBER_LISTED, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.hardwareInfos", MEMBER_LIST, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.hardwareInfos.name", MEMBER_LISTED, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.hardwareInfos.version", MEMBER_LISTED, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.hardwareInfos.location", MEMBER_LISTED, false, 0, 0 },
    { STREAM_RUN_START, "dutInfo.hardwareInfos.partType", MEMBER_LISTED, false, 0, 0 },
    { STREAM_RUN_END, "status", MEMBER_TEXT, true, AT(status) },
    { STREAM_RUN_END, "result", MEMBER_TEXT, true, AT(result) },
    { STREAM_RUN_LOG, "severity", MEMBER_TEXT, true, AT(severity) },
    { STREAM_RUN_LOG, "message", MEMBER_TEXT, true, AT(message) },
    { STREAM_RUN_ERROR, "symptom", MEMBER_TEXT, true, AT(symptom) },
    { STREAM_RUN_ERROR, "message", MEMBER_TEXT, false, AT(message) },
    { STREAM_STEP_START, "name", MEMBER_TEXT, true, AT(name) },
    { STREAM_STEP_END, "status", MEMBER_TEXT, true, AT(status) },
    { STREAM_MEASUREMENT, "name", MEMBER_TEXT, true, AT(name) },
    { STREAM_MEASUREMENT, "value", MEMBER_VALUE, true, 0, 0 },
    { STREAM_MEASUREMENT, "unit", MEMBER_TEXT, false, AT(unit) },
    { STREAM_MEASUREMENT, "subcomponent", MEMBER_OBJECT, false, 0, 0 },
    { STREAM_MEASUREMENT, "subcomponent.name", MEMBER_TEXT, false, AT(place) },
    { STREAM_MEASUREMENT, "subcomponent.location", MEMBER_TEXT, false, AT(location) },
    { STREAM_MEASUREMENT, "validators", MEMBER_LIST, false, 0, 0 },
    { STREAM_SERIES_START, "measurementSeriesId", MEMBER_TEXT, true, AT(series) },
    { STREAM_SERIES_START, "name", MEMBER_TEXT, true, AT(name) },
    { STREAM_SERIES_START, "unit", MEMBER_TEXT, false, AT(unit) },
    { STREAM_SERIES_START, "subcomponent", MEMBER_OBJECT, false, 0, 0 },
    { STREAM_SERIES_START, "subcomponent.name", MEMBER_TEXT, false, AT(place) },
    { STREAM_SERIES_START, "subcomponent.location", MEMBER_TEXT, false, AT(location) },
    { STREAM_SERIES_START, "metadata", MEMBER_OBJECT, false, 0, 0 },
    { STREAM_SERIES_START, "metadata.xName", MEMBER_TEXT, false, AT(x_name) },
    { STREAM_SERIES_START, "metadata.xUnit", MEMBER_TEXT, false, AT(x_unit) },
    { STREAM_SERIES_ELEMENT, "measurementSeriesId", MEMBER_TEXT, true, AT(series) },
    { STREAM_SERIES_ELEMENT, "value", MEMBER_VALUE, true, 0, 0 },
    { STREAM_SERIES_ELEMENT, "index", MEMBER_NUMBER, true, 0, 0 },
    { STREAM_SERIES_ELEMENT, "metadata", MEMBER_OBJECT, false, 0, 0 },
    { STREAM_SERIES_ELEMENT, "metadata.x", MEMBER_X, false, 0, 0 },
    { STREAM_SERIES_END, "measurementSeriesId", MEMBER_TEXT, true, AT(series) },
    { STREAM_DIAGNOSIS, "verdict", MEMBER_TEXT, true, AT(name) },
    { STREAM_DIAGNOSIS, "type", MEMBER_TEXT, true, AT(result) },
    { STREAM_DIAGNOSIS, "message", MEMBER_TEXT, false, AT(message) },
    { STREAM_DIAGNOSIS, "subcomponent", MEMBER_OBJECT, false, 0, 0 },
    { STREAM_DIAGNOSIS, "subcomponent.name", MEMBER_TEXT, false, AT(place) },
    { STREAM_DIAGNOSIS, "subcomponent.location", MEMBER_TEXT, false, AT(location) },
    { STREAM_LOG, "severity", MEMBER_TEXT, true, AT(severity) },
    { STREAM_LOG, "message", MEMBER_TEXT, true, AT(message) },
    { STREAM_ERROR, "symptom", MEMBER_TEXT, true, AT(symptom) },
    { STREAM_ERROR, "message", MEMBER_TEXT, false, AT(message) },
    { STREAM_EXTENSION, "name", MEMBER_TEXT, true, AT(name) },
    { STREAM_EXTENSION, "content", MEMBER_OBJECT, false, 0, 0 },
};
#define N_MEMBERS (sizeof members / sizeof *members)
_Static_assert(N_MEMBERS <= 64, "stream_reader.seen has a bit for each");

/* --- members of a line ------------------------------------------------------------------------------------------- */

/* What stands after `prefix` and a dot; "" where the path is the prefix; NULL where it does not begin with it. */
static const char *path_after(const char *path, const char *prefix)
{
    for (; *prefix && *path == *prefix; path++)
        prefix++;
    if (*prefix || (*path != '.' && *path != '\0'))
        return NULL;
    return *path == '.' ? path + 1 : path;
}

/* The artifact of a path, most often the line's own; *rest: what stands after its name. */
static enum stream_kind kind_of(const struct stream_reader *r, const char *path, const char **rest)
{
    if (r->now.kind != STREAM_NOTHING && (*rest = path_after(path, artifacts[r->now.kind])) != NULL)
        return r->now.kind;
    for (enum stream_kind kind = STREAM_SCHEMA; kind < ARTIFACTS; kind++)
        if ((*rest = path_after(path, artifacts[kind])) != NULL)
            return kind;
    return STREAM_NOTHING;
}

static void keep_text(struct stream_reader *r, const struct member *m, enum json_scalar scalar, const char *text)
{
    r->wrong = r->wrong || scalar != JSON_SCALAR_TEXT;
    text_format((char *)&r->now + m->field, m->size, "%s", text);
}

static void keep_value(struct stream_reader *r, enum json_scalar scalar, const char *text)
{
    r->now.value_kind = scalar;
    text_format(r->now.text, sizeof r->now.text, "%s", text);
    if (scalar == JSON_SCALAR_NUMBER)
        r->wrong = !json_stream_number(text, &r->now.value) || r->wrong;
    else
        r->wrong = (scalar == JSON_SCALAR_WORD && text_equal(text, "null")) || r->wrong;
}

static void keep_number(struct stream_reader *r, enum json_scalar scalar, const char *text)
{
    double number = 0;

    r->wrong = scalar != JSON_SCALAR_NUMBER || !json_stream_number(text, &number) || r->wrong;
    if (r->now.kind == STREAM_SCHEMA)
        r->wrong = number != 2 || r->wrong;
    else if (!r->now.has_x) /* an element's index, until its x is known */
        r->now.x = number;
}

static void keep_x(struct stream_reader *r, enum json_scalar scalar, const char *text)
{
    double x;

    if (scalar != JSON_SCALAR_NUMBER)
        return;
    r->now.has_x = true;
    if (json_stream_number(text, &x))
        r->now.x = x;
    else
        r->wrong = true;
}

#define LINE_DEPTH     1u
#define ARTIFACT_DEPTH 3u /* of a line's members: the line, "testStepArtifact", "measurement" */

/* Of a container that is the member with this path. */
static uint32_t depth_of(const char *path)
{
    uint32_t depth = ARTIFACT_DEPTH + 1;

    for (const char *c = path; *c; c++)
        depth += *c == '.';
    return depth;
}

static void keep_member(struct stream_reader *r, size_t i, enum json_scalar scalar, const char *text)
{
    r->seen |= UINT64_C(1) << i;
    switch (members[i].type) {
    case MEMBER_TEXT:
        keep_text(r, &members[i], scalar, text);
        break;
    case MEMBER_NUMBER:
        keep_number(r, scalar, text);
        break;
    case MEMBER_VALUE:
        keep_value(r, scalar, text);
        break;
    case MEMBER_X:
        keep_x(r, scalar, text);
        break;
    case MEMBER_OBJECT:
    case MEMBER_LIST:
        r->wrong = true; /* a scalar in its place */
        break;
    case MEMBER_ITEMS:
        r->wrong = scalar != JSON_SCALAR_TEXT || r->json.depth < depth_of(members[i].path) || r->wrong;
        break;
    case MEMBER_LISTED:
        r->wrong = scalar != JSON_SCALAR_TEXT || r->wrong;
        break;
    }
}

/* A bound, once both its type and its value are there. */
static void keep_limit(struct stream_reader *r)
{
    bool equal = text_equal(r->limit_type, "EQUAL");

    r->lone_type = r->lone_value = false;
    r->limits_due--;
    if (!r->limit_is_number)
        return;
    if (equal || path_after(r->limit_type, "GREATER_THAN") || path_after(r->limit_type, "GREATER_THAN_OR_EQUAL")) {
        r->now.has_lo = true;
        r->now.lo = r->limit;
        memcpy(r->now.lo_text, r->limit_text, sizeof r->now.lo_text);
    }
    if (equal || path_after(r->limit_type, "LESS_THAN") || path_after(r->limit_type, "LESS_THAN_OR_EQUAL")) {
        r->now.has_hi = true;
        r->now.hi = r->limit;
        memcpy(r->now.hi_text, r->limit_text, sizeof r->now.hi_text);
    }
}

#define VALIDATOR_DEPTH (ARTIFACT_DEPTH + 2) /* "validators", and one of them */

static void take_limit(struct stream_reader *r, enum json_scalar scalar, const char *text)
{
    r->limit_is_number = scalar == JSON_SCALAR_NUMBER;
    text_format(r->limit_text, sizeof r->limit_text, "%s", text);
    r->wrong = (r->limit_is_number && !json_stream_number(text, &r->limit)) || r->lone_value || r->wrong;
    r->lone_value = true;
    if (r->lone_type)
        keep_limit(r);
}

static void keep_validator(struct stream_reader *r, const char *member, enum json_scalar scalar, const char *text)
{
    if (r->json.depth != VALIDATOR_DEPTH)
        return;
    if (text_equal(member, "value")) {
        take_limit(r, scalar, text);
    } else if (text_equal(member, "type")) {
        r->wrong = scalar != JSON_SCALAR_TEXT || r->lone_type || r->wrong;
        text_format(r->limit_type, sizeof r->limit_type, "%s", text);
        r->lone_type = true;
        if (r->lone_value)
            keep_limit(r);
    }
}

/* --- arrays and objects ------------------------------------------------------------------------------------------ */

static void open_member(struct stream_reader *r, const struct member *m, bool array)
{
    uint32_t depth = depth_of(m->path);

    switch (m->type) {
    case MEMBER_TEXT:
    case MEMBER_NUMBER:
    case MEMBER_VALUE:
    case MEMBER_LISTED:
        r->wrong = true;
        break;
    case MEMBER_X:
        break;
    case MEMBER_OBJECT:
        r->wrong = array || r->wrong;
        break;
    case MEMBER_ITEMS:
        r->wrong = !array || r->json.depth > depth || r->wrong;
        break;
    case MEMBER_LIST:
        r->wrong = array != (r->json.depth == depth) || r->json.depth > depth + 1 || r->wrong;
        r->limits_due += m->kind == STREAM_MEASUREMENT && r->json.depth > depth;
        break;
    }
}

static void take_open_member(struct stream_reader *r, const char *path, bool array)
{
    r->empty = false;
    if (r->now.kind == STREAM_MEASUREMENT && text_equal(path, "validators.type"))
        r->wrong = true;
    if (r->now.kind == STREAM_MEASUREMENT && text_equal(path, "validators.value") &&
        r->json.depth == VALIDATOR_DEPTH + 1)
        take_limit(r, JSON_SCALAR_WORD, "");
    for (size_t i = 0; i < N_MEMBERS; i++)
        if (members[i].kind == r->now.kind && text_equal(path, members[i].path))
            open_member(r, &members[i], array);
}

void stream_take_open(void *context, const char *path, bool array)
{
    struct stream_reader *r = context;
    const char *rest;
    enum stream_kind kind = kind_of(r, path, &rest);

    if (r->json.depth == ARTIFACT_DEPTH - 1 &&
        (text_equal(path, "schemaVersion") || text_equal(path, "testRunArtifact") ||
         text_equal(path, "testStepArtifact")))
        r->wrong = array || r->tops++ > 0 || r->wrong;
    if (kind != STREAM_NOTHING && *rest) {
        take_open_member(r, rest, array);
        return;
    }
    if (kind != STREAM_NOTHING) {
        r->wrong = array || r->now.kind != STREAM_NOTHING || r->wrong;
        r->now.kind = kind;
        r->empty = true;
        return;
    }
    if ((rest = path_after(path, "testRunArtifact")) != NULL || (rest = path_after(path, "testStepArtifact")) != NULL)
        r->wrong = *rest != '\0' || r->wrong; /* an artifact that the format does not have */
}

/* --- scalars ----------------------------------------------------------------------------------------------------- */

/* A member of the artifact; `path` begins after the artifact's name. */
static void take_member(struct stream_reader *r, const char *path, enum json_scalar scalar, const char *text)
{
    const char *rest;

    r->empty = false;
    if (r->now.kind == STREAM_MEASUREMENT && (rest = path_after(path, "validators")) != NULL && *rest) {
        keep_validator(r, rest, scalar, text);
        return;
    }
    for (size_t i = 0; i < N_MEMBERS; i++) {
        if (members[i].kind == r->now.kind && text_equal(path, members[i].path))
            keep_member(r, i, scalar, text);
    }
    if (r->now.kind == STREAM_RUN_START && r->field && !r->started)
        r->field(r->context, r->now.kind, path, scalar, text);
    rest = r->now.kind == STREAM_EXTENSION ? path_after(path, "content") : NULL;
    if (rest && text_equal(rest, "dropped") && r->json.depth == ARTIFACT_DEPTH + 1)
        r->now.dropped = scalar == JSON_SCALAR_WORD && text_equal(text, "true");
    if (rest && *rest && r->field)
        r->field(r->context, r->now.kind, rest, scalar, text);
}

static void take_artifact(struct stream_reader *r, const char *path, enum json_scalar scalar, const char *text)
{
    const char *rest;
    enum stream_kind kind = kind_of(r, path, &rest);

    if (kind != STREAM_NOTHING && *rest && kind == r->now.kind) {
        take_member(r, rest, scalar, text);
        return;
    }
    if (kind != STREAM_NOTHING || path_after(path, "testRunArtifact") || path_after(path, "testStepArtifact"))
        r->wrong = true; /* an artifact that the format does not have, or a second one */
}

/* Above, a double no longer tells a number from the next one. */
#define MOST_LINES (UINT64_C(1) << 53)

static bool take_sequence_number(struct stream_reader *r, enum json_scalar scalar, const char *text)
{
    double number;

    if (scalar != JSON_SCALAR_NUMBER || !json_stream_number(text, &number) || r->json.depth > LINE_DEPTH ||
        !(number >= 0 && number < (double)MOST_LINES))
        return false;
    r->number = (uint64_t)number;
    return (double)r->number == number;
}

void stream_take_scalar(void *context, const char *path, enum json_scalar scalar, const char *text)
{
    struct stream_reader *r = context;

    if (text_equal(path, "sequenceNumber")) {
        r->numbered = take_sequence_number(r, scalar, text);
    } else if (text_equal(path, "timestamp")) {
        if (scalar == JSON_SCALAR_TEXT && r->json.depth == LINE_DEPTH)
            text_format(r->now.time, sizeof r->now.time, "%s", text);
    } else if (text_equal(path, "testStepArtifact.testStepId")) {
        r->wrong = scalar != JSON_SCALAR_TEXT || r->json.depth > LINE_DEPTH + 1 || r->wrong;
        text_format(r->now.step, sizeof r->now.step, "%s", text);
    } else {
        take_artifact(r, path, scalar, text);
    }
}

static bool lacks_a_member(const struct stream_reader *r)
{
    return ANY_OF(i, N_MEMBERS, members[i].kind == r->now.kind && members[i].required && !(r->seen >> i & 1));
}

bool stream_is_line(const struct stream_reader *r)
{
    const char *type = r->now.result;

    if (r->wrong || r->now.kind == STREAM_NOTHING || r->empty || lacks_a_member(r) || r->limits_due > 0)
        return false;
    if (r->now.kind >= STREAM_STEP_START && !r->now.step[0])
        return false;
    if (r->now.kind == STREAM_STEP_START && !r->now.name[0])
        return false;
    return r->now.kind != STREAM_DIAGNOSIS || text_equal(type, "PASS") || text_equal(type, "FAIL") ||
           text_equal(type, "UNKNOWN");
}
