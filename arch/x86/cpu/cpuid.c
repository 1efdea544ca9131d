/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "arch/x86/cpu/cpuid.h"

#include <string.h>

#include "core/base/bits.h"

#define LEAF_EXTENDED    0x80000000u
#define LEAF_HYPERVISOR  0x40000000u
#define LEAF_RANGE       0xFFFF0000u
#define MAX_CACHE_LEAVES 16u /* sub-leaves that are asked before a list without end is given up */

/* Leaf 1. */
#define CPUID_1_EAX_STEPPING   BITS(3, 0)
#define CPUID_1_EAX_MODEL      BITS(7, 4)
#define CPUID_1_EAX_FAMILY     BITS(11, 8)
#define CPUID_1_EAX_EXT_MODEL  BITS(19, 16)
#define CPUID_1_EAX_EXT_FAMILY BITS(27, 20)
#define CPUID_1_ECX_HYPERVISOR BIT(31)

/* Leaves 4 and 8000001DH. */
#define CPUID_4_EAX_TYPE          BITS(4, 0) /* 0 no more, 1 data, 2 instruction, 3 unified */
#define CPUID_4_EAX_LEVEL         BITS(7, 5)
#define CPUID_4_EAX_SHARING       BITS(25, 14) /* addressable logical processor ids, less 1 */
#define CPUID_4_EBX_LINE          BITS(11, 0)  /* each less 1 */
#define CPUID_4_EBX_PARTITIONS    BITS(21, 12)
#define CPUID_4_EBX_WAYS          BITS(31, 22)
#define CPUID_4_EDX_INCLUSIVE     BIT(1)
#define CPUID_4_EDX_COMPLEX_INDEX BIT(2)

#define CPUID_80000001_ECX_TOPOEXT BIT(22) /* AMD: leaves 8000001DH and 8000001EH mean something */

/* --- sources ------------------------------------------------------------------------------------------------------ */

bool cpuid_in_range(uint32_t leaf, uint32_t max_basic, uint32_t max_extended)
{
    switch (leaf & LEAF_RANGE) {
    case 0:
        return leaf <= max_basic;
    case LEAF_HYPERVISOR:
        return true;
    case LEAF_EXTENDED:
        return leaf <= max_extended || leaf == LEAF_EXTENDED;
    default:
        return false;
    }
}

static enum status live_leaf(void *context, uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
    struct cpuid_live *live = context;

    if (!cpuid_in_range(leaf, live->max_basic, live->max_extended))
        return ST_ABSENT;
    return cpu_cpuid(live->platform, live->cpu, leaf, subleaf, regs);
}

enum status cpuid_live_source(struct platform *p, uint32_t cpu, struct cpuid_live *live, struct cpuid_source *source)
{
    struct cpuid_regs basic, extended;

    TRY(cpu_cpuid(p, cpu, 0, 0, &basic));
    TRY(cpu_cpuid(p, cpu, LEAF_EXTENDED, 0, &extended));
    *live = (struct cpuid_live){ .platform = p, .cpu = cpu, .max_basic = basic.eax, .max_extended = extended.eax };
    *source = (struct cpuid_source){ .leaf = live_leaf, .context = live };
    return ST_OK;
}

/* --- identity ----------------------------------------------------------------------------------------------------- */

static void put_regs(char *text, const uint32_t *regs, uint32_t n)
{
    memcpy(text, regs, 4 * (size_t)n);
    text[4 * (size_t)n] = '\0';
    for (uint32_t i = 0; i < 4 * n; i++)
        if (text[i] != '\0' && (text[i] < ' ' || text[i] > '~'))
            text[i] = '?';
}

static enum cpu_vendor vendor_of(const char *text)
{
    static const struct {
        const char *text;
        enum cpu_vendor vendor;
    } vendors[] = {
        { "GenuineIntel", VENDOR_INTEL },   { "AuthenticAMD", VENDOR_AMD },     { "HygonGenuine", VENDOR_HYGON },
        { "CentaurHauls", VENDOR_CENTAUR }, { "  Shanghai  ", VENDOR_ZHAOXIN },
    };

    return FIND(i, sizeof vendors / sizeof *vendors, strcmp(text, vendors[i].text) == 0, vendors[i].vendor,
                VENDOR_OTHER);
}

enum status cpuid_identity(const struct cpuid_source *s, struct cpu_identity *id)
{
    struct cpuid_regs zero, one;

    TRY(s->leaf(s->context, 0, 0, &zero));
    TRY(s->leaf(s->context, 1, 0, &one));
    memset(id, 0, sizeof *id);
    put_regs(id->vendor_string, (const uint32_t[]){ zero.ebx, zero.edx, zero.ecx }, 3);
    id->vendor = vendor_of(id->vendor_string);
    id->signature = one.eax;
    id->stepping = (uint32_t)field_get(CPUID_1_EAX_STEPPING, one.eax);
    id->family = (uint32_t)field_get(CPUID_1_EAX_FAMILY, one.eax);
    id->model = (uint32_t)field_get(CPUID_1_EAX_MODEL, one.eax);
    /* SDM names families 6 and 15 only; Centaur's family 7 uses the extended model too, and no other vendor has families
     * between. */
    if (id->family >= 6)
        id->model |= (uint32_t)field_get(CPUID_1_EAX_EXT_MODEL, one.eax) << 4;
    if (id->family == 15)
        id->family += (uint32_t)field_get(CPUID_1_EAX_EXT_FAMILY, one.eax);
    return ST_OK;
}

void cpuid_brand(const struct cpuid_source *s, char brand[49])
{
    struct cpuid_regs regs[3];
    char text[49];
    const char *from = text;

    brand[0] = '\0';
    for (uint32_t i = 0; i < 3; i++)
        if (s->leaf(s->context, 0x80000002u + i, 0, &regs[i]) != ST_OK)
            return;
    for (uint32_t i = 0; i < 3; i++)
        put_regs(text + 16 * (size_t)i, (const uint32_t[]){ regs[i].eax, regs[i].ebx, regs[i].ecx, regs[i].edx }, 4);
    while (*from == ' ')
        from++;
    size_t n = strlen(from);
    while (n > 0 && from[n - 1] == ' ')
        n--;
    memcpy(brand, from, n);
    brand[n] = '\0';
}

bool cpuid_hypervisor(const struct cpuid_source *s, char name[13])
{
    struct cpuid_regs one, id;

    name[0] = '\0';
    if (s->leaf(s->context, 1, 0, &one) != ST_OK || !(one.ecx & CPUID_1_ECX_HYPERVISOR))
        return false;
    if (s->leaf(s->context, LEAF_HYPERVISOR, 0, &id) == ST_OK)
        put_regs(name, (const uint32_t[]){ id.ebx, id.ecx, id.edx }, 3);
    return true;
}

/* --- caches ------------------------------------------------------------------------------------------------------- */

static void decode_cache(const struct cpuid_regs *r, struct cache_info *c)
{
    static const char kinds[] = { '?', 'd', 'i', 'u' };
    uint32_t type = (uint32_t)field_get(CPUID_4_EAX_TYPE, r->eax);

    *c = (struct cache_info){
        .level = (uint32_t)field_get(CPUID_4_EAX_LEVEL, r->eax),
        .kind = kinds[type < sizeof kinds ? type : 0],
        .inclusive = r->edx & CPUID_4_EDX_INCLUSIVE,
        .complex_index = r->edx & CPUID_4_EDX_COMPLEX_INDEX,
        .line_bytes = (uint32_t)field_get(CPUID_4_EBX_LINE, r->ebx) + 1,
        .partitions = (uint32_t)field_get(CPUID_4_EBX_PARTITIONS, r->ebx) + 1,
        .ways = (uint32_t)field_get(CPUID_4_EBX_WAYS, r->ebx) + 1,
        .sets = r->ecx + 1,
        .sharing_ids = (uint32_t)field_get(CPUID_4_EAX_SHARING, r->eax) + 1,
    };
    c->bytes = (uint64_t)c->line_bytes * c->partitions * c->ways * ((uint64_t)r->ecx + 1);
}

uint32_t cpuid_caches(const struct cpuid_source *s, const struct cpu_identity *id, struct cache_info *caches,
                      uint32_t max)
{
    bool amd = id->vendor == VENDOR_AMD || id->vendor == VENDOR_HYGON;
    uint32_t leaf = amd ? 0x8000001Du : 4, n = 0;
    struct cpuid_regs regs;

    if (amd && (s->leaf(s->context, 0x80000001u, 0, &regs) != ST_OK || !(regs.ecx & CPUID_80000001_ECX_TOPOEXT)))
        return 0;
    for (uint32_t sub = 0; sub < MAX_CACHE_LEAVES && n < max; sub++) {
        if (s->leaf(s->context, leaf, sub, &regs) != ST_OK || field_get(CPUID_4_EAX_TYPE, regs.eax) == 0)
            break;
        decode_cache(&regs, &caches[n++]);
    }
    return n;
}

/* --- generation --------------------------------------------------------------------------------------------------- */

struct generation {
    enum cpu_vendor vendor;
    uint32_t family, first_model, last_model, last_stepping;
    const char *name;
};
#define ANY         15u
#define INTEL6(m)   VENDOR_INTEL, 6, m, m, ANY
#define AMD(f, ...) VENDOR_AMD, f, __VA_ARGS__, ANY

/* First fit wins. SDM vol. 4 table 2-1 "CPUID Signature Values of DisplayFamily_DisplayModel"; Linux intel-family.h and
 * amd.c for what the tables leave out (steppings of model 55H, model ranges of one Zen generation). */
static const struct generation generations[] = {
    { INTEL6(0x17), "Penryn" },
    { INTEL6(0x1D), "Dunnington" },
    { INTEL6(0x1A), "Nehalem-EP" },
    { INTEL6(0x1E), "Nehalem (Lynnfield)" },
    { INTEL6(0x1F), "Nehalem (Auburndale)" },
    { INTEL6(0x2E), "Nehalem-EX" },
    { INTEL6(0x25), "Westmere (Clarkdale)" },
    { INTEL6(0x2C), "Westmere-EP" },
    { INTEL6(0x2F), "Westmere-EX" },
    { INTEL6(0x2A), "Sandy Bridge" },
    { INTEL6(0x2D), "Sandy Bridge-EP" },
    { INTEL6(0x3A), "Ivy Bridge" },
    { INTEL6(0x3E), "Ivy Bridge-EP" },
    { INTEL6(0x3C), "Haswell" },
    { INTEL6(0x45), "Haswell" },
    { INTEL6(0x46), "Haswell" },
    { INTEL6(0x3F), "Haswell-EP" },
    { INTEL6(0x3D), "Broadwell" },
    { INTEL6(0x47), "Broadwell" },
    { INTEL6(0x56), "Broadwell-DE" },
    { INTEL6(0x4F), "Broadwell-EP" },
    { INTEL6(0x4E), "Skylake" },
    { INTEL6(0x5E), "Skylake" },
    { VENDOR_INTEL, 6, 0x55, 0x55, 4, "Skylake-SP" },
    { VENDOR_INTEL, 6, 0x55, 0x55, 9, "Cascade Lake-SP" },
    { INTEL6(0x55), "Cooper Lake-SP" },
    { INTEL6(0x8E), "Kaby Lake" },
    { INTEL6(0x9E), "Kaby Lake" },
    { INTEL6(0xA5), "Comet Lake" },
    { INTEL6(0xA6), "Comet Lake" },
    { INTEL6(0x66), "Cannon Lake" },
    { INTEL6(0x7D), "Ice Lake" },
    { INTEL6(0x7E), "Ice Lake" },
    { INTEL6(0x6A), "Ice Lake-SP" },
    { INTEL6(0x6C), "Ice Lake-D" },
    { INTEL6(0xA7), "Rocket Lake" },
    { INTEL6(0x8C), "Tiger Lake" },
    { INTEL6(0x8D), "Tiger Lake" },
    { INTEL6(0x8A), "Lakefield" },
    { INTEL6(0x97), "Alder Lake" },
    { INTEL6(0x9A), "Alder Lake" },
    { INTEL6(0xBE), "Gracemont (Alder Lake-N)" },
    { INTEL6(0xB7), "Raptor Lake" },
    { INTEL6(0xBA), "Raptor Lake" },
    { INTEL6(0xBF), "Raptor Lake" },
    { INTEL6(0xAA), "Meteor Lake" },
    { INTEL6(0xAC), "Meteor Lake" },
    { INTEL6(0xB5), "Arrow Lake" },
    { INTEL6(0xC5), "Arrow Lake" },
    { INTEL6(0xC6), "Arrow Lake" },
    { INTEL6(0xBD), "Lunar Lake" },
    { INTEL6(0xCC), "Panther Lake" },
    { INTEL6(0xD5), "Wildcat Lake" },
    { INTEL6(0x8F), "Sapphire Rapids" },
    { INTEL6(0xCF), "Emerald Rapids" },
    { INTEL6(0xAD), "Granite Rapids" },
    { INTEL6(0xAE), "Granite Rapids-D" },
    { INTEL6(0xAF), "Sierra Forest" },
    { INTEL6(0xB6), "Grand Ridge" },
    { INTEL6(0xDD), "Clearwater Forest" },
    { VENDOR_INTEL, 0x13, 0x01, 0x01, ANY, "Diamond Rapids" },
    { INTEL6(0x57), "Knights Landing" },
    { INTEL6(0x85), "Knights Mill" },
    { INTEL6(0x37), "Silvermont (Bay Trail)" },
    { INTEL6(0x4D), "Silvermont (Avoton, Rangeley)" },
    { INTEL6(0x4C), "Airmont (Braswell)" },
    { INTEL6(0x5C), "Goldmont (Apollo Lake)" },
    { INTEL6(0x5F), "Goldmont (Denverton)" },
    { INTEL6(0x7A), "Goldmont Plus (Gemini Lake)" },
    { INTEL6(0x86), "Tremont (Snow Ridge)" },
    { INTEL6(0x96), "Tremont (Elkhart Lake)" },
    { INTEL6(0x9C), "Tremont (Jasper Lake)" },
    { AMD(0x10, 0x04, 0x04), "K10 (Shanghai)" },
    { AMD(0x10, 0x08, 0x08), "K10 (Istanbul)" },
    { AMD(0x10, 0x09, 0x09), "K10 (Magny-Cours)" },
    { AMD(0x10, 0x00, 0xFF), "K10" },
    { AMD(0x15, 0x00, 0x01), "Bulldozer (Interlagos)" },
    { AMD(0x15, 0x02, 0x02), "Piledriver (Abu Dhabi)" },
    { AMD(0x15, 0x10, 0x1F), "Piledriver" },
    { AMD(0x15, 0x30, 0x3F), "Steamroller" },
    { AMD(0x15, 0x60, 0x7F), "Excavator" },
    { AMD(0x16, 0x00, 0x0F), "Jaguar" },
    { AMD(0x16, 0x30, 0x3F), "Puma" },
    { AMD(0x17, 0x01, 0x01), "Zen 1 (Naples, Summit Ridge)" },
    { AMD(0x17, 0x08, 0x08), "Zen+ (Colfax, Pinnacle Ridge)" },
    { AMD(0x17, 0x00, 0x2F), "Zen 1" },
    { AMD(0x17, 0x31, 0x31), "Zen 2 (Rome, Castle Peak)" },
    { AMD(0x17, 0x60, 0x60), "Zen 2 (Renoir)" },
    { AMD(0x17, 0x71, 0x71), "Zen 2 (Matisse)" },
    { AMD(0x17, 0x90, 0x91), "Zen 2 (Van Gogh)" },
    { AMD(0x17, 0xA0, 0xAF), "Zen 2 (Mendocino)" },
    { AMD(0x17, 0x50, 0x5F), "Zen 1" },
    { AMD(0x17, 0x30, 0xAF), "Zen 2" },
    { AMD(0x19, 0x00, 0x01), "Zen 3 (Milan)" },
    { AMD(0x19, 0x08, 0x08), "Zen 3 (Chagall)" },
    { AMD(0x19, 0x11, 0x11), "Zen 4 (Genoa)" },
    { AMD(0x19, 0x18, 0x18), "Zen 4 (Storm Peak)" },
    { AMD(0x19, 0x21, 0x21), "Zen 3 (Vermeer)" },
    { AMD(0x19, 0x40, 0x4F), "Zen 3 (Rembrandt)" },
    { AMD(0x19, 0x50, 0x5F), "Zen 3 (Cezanne)" },
    { AMD(0x19, 0x61, 0x61), "Zen 4 (Raphael)" },
    { AMD(0x19, 0x74, 0x75), "Zen 4 (Phoenix, Hawk Point)" },
    { AMD(0x19, 0x78, 0x7F), "Zen 4 (Phoenix 2)" },
    { AMD(0x19, 0xA0, 0xAF), "Zen 4 (Bergamo, Siena)" },
    { AMD(0x19, 0x00, 0x0F), "Zen 3" },
    { AMD(0x19, 0x20, 0x5F), "Zen 3" },
    { AMD(0x19, 0x10, 0x1F), "Zen 4" },
    { AMD(0x19, 0x60, 0xAF), "Zen 4" },
    { AMD(0x1A, 0x08, 0x08), "Zen 5 (Shimada Peak)" },
    { AMD(0x1A, 0x00, 0x0F), "Zen 5 (Turin)" },
    { AMD(0x1A, 0x10, 0x1F), "Zen 5 (Turin Dense)" },
    { AMD(0x1A, 0x24, 0x24), "Zen 5 (Strix Point)" },
    { AMD(0x1A, 0x44, 0x44), "Zen 5 (Granite Ridge)" },
    { AMD(0x1A, 0x60, 0x6F), "Zen 5 (Krackan Point, Gorgon Point)" },
    { AMD(0x1A, 0x70, 0x77), "Zen 5 (Strix Halo)" },
    { AMD(0x1A, 0x20, 0x2F), "Zen 5" },
    { AMD(0x1A, 0x40, 0x4F), "Zen 5" },
    { AMD(0x1A, 0x70, 0x7F), "Zen 5" },
    { AMD(0x1A, 0x50, 0x5F), "Zen 6" },
    { AMD(0x1A, 0x80, 0xAF), "Zen 6" },
    { AMD(0x1A, 0xC0, 0xEF), "Zen 6" },
    { VENDOR_HYGON, 0x18, 0x00, 0xFF, ANY, "Hygon Dhyana" },
    { VENDOR_CENTAUR, 6, 0x00, 0xFF, ANY, "Centaur" },
    { VENDOR_CENTAUR, 7, 0x1B, 0x1B, ANY, "Zhaoxin Wudaokou" },
    { VENDOR_CENTAUR, 7, 0x3B, 0x3B, ANY, "Zhaoxin Lujiazui" },
    { VENDOR_CENTAUR, 7, 0x5B, 0x5B, ANY, "Zhaoxin Yongfeng" },
    { VENDOR_CENTAUR, 7, 0x6B, 0x6B, ANY, "Zhaoxin Century Avenue" },
    { VENDOR_ZHAOXIN, 7, 0x1B, 0x1B, ANY, "Zhaoxin Wudaokou" },
    { VENDOR_ZHAOXIN, 7, 0x3B, 0x3B, ANY, "Zhaoxin Lujiazui" },
    { VENDOR_ZHAOXIN, 7, 0x5B, 0x5B, ANY, "Zhaoxin Yongfeng" },
    { VENDOR_ZHAOXIN, 7, 0x6B, 0x6B, ANY, "Zhaoxin Century Avenue" },
};

const char *cpuid_generation(const struct cpu_identity *id)
{
    EACH(const struct generation, g, generations, sizeof generations / sizeof *generations)
        if (g->vendor == id->vendor && g->family == id->family && id->model >= g->first_model &&
            id->model <= g->last_model && id->stepping <= g->last_stepping)
            return g->name;
    return NULL;
}

/* --- time --------------------------------------------------------------------------------------------------------- */

/* SDM vol. 3B 19.7.3 "Determining the Processor Base Frequency", table "Nominal Core Crystal Clock Frequency". Model
 * 55H is not here although the table gives it 25 MHz: workstation parts with that model run from 24 MHz. */
static uint64_t crystal_of(const struct cpu_identity *id)
{
    static const struct {
        uint32_t model;
        uint64_t hz;
    } crystals[] = {
        { 0x4E, 24000000 }, { 0x5E, 24000000 }, { 0x8E, 24000000 },
        { 0x9E, 24000000 }, { 0x5C, 19200000 }, { 0x5F, 25000000 },
    };

    if (id->vendor != VENDOR_INTEL || id->family != 6)
        return 0;
    return FIND(i, sizeof crystals / sizeof *crystals, crystals[i].model == id->model, crystals[i].hz, 0);
}

uint64_t cpuid_tsc_hz(const struct cpuid_source *s, const struct cpu_identity *id)
{
    struct cpuid_regs r;
    uint64_t crystal;

    if (s->leaf(s->context, 0x15, 0, &r) != ST_OK || r.eax == 0 || r.ebx == 0)
        return 0;
    crystal = r.ecx ? r.ecx : crystal_of(id);
    return crystal * r.ebx / r.eax;
}
