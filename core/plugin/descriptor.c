/* SPDX-License-Identifier: Apache-2.0 */
/* dladdr1() and its symbol sizes are GNU extensions, as is dl_iterate_phdr(). */
#define _GNU_SOURCE
#include "descriptor.h"

#include "utf8.h"

#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <stdalign.h>
#include <string.h>

/* Limits: a larger table or text is taken to have no end. */
enum { MOST_OPTIONS = 64, MOST_SUFFIXES = 64, MOST_TEXT = 4096 };

/* ---- the data it points to ---- */

/* True for one line of UTF-8 without control characters (U+0080 to U+009F are c2 80 to c2 9f). */
static bool is_line(const char *text)
{
    const unsigned char *s = (const unsigned char *) text;
    if (text == NULL || strnlen(text, MOST_TEXT) == MOST_TEXT)
        return false;
    while (*s != '\0') {
        size_t n = om_utf8__length(s);
        if (n == 0 || *s < ' ' || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0))
            return false;
        s += n;
    }
    return true;
}

static bool is_word(const char *text, const char *letters)
{
    return is_line(text) && *text != '\0' && strspn(text, letters) == strlen(text);
}

/* True if reserved members are in use: the head is longer than this library's. */
static bool has_more(const om_plugin *p)
{
    for (size_t i = 0; i < sizeof p->reserved / sizeof *p->reserved; i++)
        if (p->reserved[i] != NULL)
            return true;
    return false;
}

static bool good_texts(const om_plugin *p, om_text *why)
{
    if (!is_word(p->name, "abcdefghijklmnopqrstuvwxyz0123456789-"))
        om_text_add(why, "its name is missing or has characters other than a-z, 0-9 and -");
    else if (!is_line(p->summary))
        om_text_add(why, "its summary is missing or not a line of text");
    else if (has_more(p))
        om_text_add(why, "its head has members that this library does not know");
    else if (p->citation != NULL && !is_line(p->citation))
        om_text_add(why, "its citation is not a line of text");
    else
        return true;
    return false;
}

static bool is_option_word(const char *text)
{
    return is_word(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
}

static bool good_option(const om_option *table, size_t i, om_text *why)
{
    const om_option *o = &table[i];
    size_t before = 0;
    if (!is_option_word(o->name)) {
        om_text_printf(
            why, "the name of option %zu has characters other than letters, digits, _ and -", i);
        return false;
    }
    while (strcmp(table[before].name, o->name) != 0)
        before++;
    if (before < i)
        om_text_printf(why, "option '%s' is defined twice", o->name);
    else if (o->help != NULL && !is_line(o->help))
        om_text_printf(why, "the help of option '%s' is not a line of text", o->name);
    else if (o->dflt < o->low || o->dflt > o->high)
        om_text_printf(why,
            "the default of option '%s', %" PRId64 ", is not between %" PRId64 " and %" PRId64,
            o->name, o->dflt, o->low, o->high);
    else
        return true;
    return false;
}

static bool good_options(const om_option *table, om_text *why)
{
    for (size_t i = 0; table != NULL && table[i].name != NULL; i++) {
        if (i == MOST_OPTIONS) {
            om_text_printf(why, "its table of options has no end within %d entries", MOST_OPTIONS);
            return false;
        }
        if (!good_option(table, i, why))
            return false;
    }
    return true;
}

/* True if the option has exactly one name per value. */
static bool good_value_names(const om_option *o, const char *const *names, om_text *why)
{
    uint64_t values = (uint64_t) o->high - (uint64_t) o->low + 1, n = 0;
    if (values == 0 || values > MOST_OPTIONS) {
        om_text_printf(why, "option '%s' has too many values to name them", o->name);
        return false;
    }
    while (n <= values && names[n] != NULL) {
        if (!is_option_word(names[n])) {
            om_text_printf(why,
                "name %" PRIu64
                " of a value of option '%s' has characters other than letters, digits, _ and -",
                n, o->name);
            return false;
        }
        n++;
    }
    if (n != values)
        om_text_printf(why, "option '%s' has %" PRIu64 " values but %s names for them", o->name,
            values, n < values ? "fewer" : "more");
    return n == values;
}

static const om_option *option_of(const om_option *table, const char *name)
{
    for (; table != NULL && table->name != NULL; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

/* Called after good_options(). */
static bool good_names(const om_plugin *p, om_text *why)
{
    for (size_t i = 0; p->names != NULL && p->names[i].option != NULL; i++) {
        const om_option_names *n = &p->names[i];
        if (i == MOST_OPTIONS) {
            om_text_printf(why, "its names of values have no end within %d entries", MOST_OPTIONS);
            return false;
        }
        const om_option *o = is_line(n->option) ? option_of(p->options, n->option) : NULL;
        if (o == NULL || n->names == NULL) {
            om_text_printf(why, "entry %zu of its names of values belongs to no option", i);
            return false;
        }
        if (!good_value_names(o, n->names, why))
            return false;
    }
    return true;
}

static bool good_suffixes(const char *const *suffixes, om_text *why)
{
    for (size_t i = 0; suffixes[i] != NULL; i++) {
        if (i == MOST_SUFFIXES) {
            om_text_printf(why, "its list of suffixes has no end within %d entries", MOST_SUFFIXES);
            return false;
        }
        if (!is_line(suffixes[i]) || suffixes[i][0] != '.' || suffixes[i][1] == '\0') {
            om_text_printf(why, "suffix %zu is not a dot followed by a text", i);
            return false;
        }
    }
    if (suffixes[0] == NULL)
        om_text_add(why, "its list of suffixes is empty");
    return suffixes[0] != NULL;
}

/* ---- its functions ---- */

/* dl_iterate_phdr(): true if a loaded object has this address in an executable segment. */
static int holds_code(struct dl_phdr_info *object, size_t size, void *address)
{
    const uintptr_t at = *(const uintptr_t *) address;
    (void) size;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *s = &object->dlpi_phdr[i];
        if (s->p_type == PT_LOAD && (s->p_flags & PF_X) != 0 &&
            at - object->dlpi_addr - s->p_vaddr < s->p_memsz)
            return 1;
    }
    return 0;
}

typedef struct entry {
    const char *name;
    uintptr_t code;
} entry;

static bool good_functions(const entry *entries, size_t n, om_text *why)
{
    for (size_t i = 0; i < n; i++) {
        uintptr_t code = entries[i].code;
        if (code == 0)
            om_text_printf(why, "mandatory entry '%s' is missing", entries[i].name);
        else if (dl_iterate_phdr(holds_code, &code) == 0)
            om_text_printf(why, "entry '%s' does not point to code", entries[i].name);
        else
            continue;
        return false;
    }
    return true;
}

/* The same for entries that may be NULL. */
static bool good_optional(const entry *entries, size_t n, om_text *why)
{
    for (size_t i = 0; i < n; i++)
        if (entries[i].code != 0 && !good_functions(&entries[i], 1, why))
            return false;
    return true;
}

/* Checks a set of bits: known bits only and, if `some`, at least one. */
static bool good_bits(const char *name, uint32_t bits, uint32_t all, bool some, om_text *why)
{
    if (some && bits == 0)
        om_text_printf(why, "mandatory entry '%s' is missing", name);
    else if ((bits & ~all) != 0)
        om_text_printf(why, "'%s' has undefined bits, 0x%x", name, bits & ~all);
    else
        return true;
    return false;
}

static bool good_rank(const om_checker *c, size_t i, om_text *why)
{
    const om_rank *r = &c->ranks[i];
    if ((r->strengths & ~c->strengths) != 0)
        om_text_printf(why, "rank %zu is for parts that the checker does not support", i);
    else if (r->rank == 0 || r->rank > OM_HIGHEST_RANK)
        om_text_printf(why, "rank %zu, %u, is not between 1 and %d", i, r->rank, OM_HIGHEST_RANK);
    else if (r->most != 0 && r->most < r->least)
        om_text_printf(why, "rank %zu applies to no number of workers", i);
    else
        return true;
    return false;
}

static bool good_ranks(const om_checker *c, om_text *why)
{
    for (size_t i = 0; c->ranks != NULL && c->ranks[i].strengths != 0; i++) {
        if (i == OM_MOST_RANKS) {
            om_text_printf(why, "its list of ranks has no end within %d entries", OM_MOST_RANKS);
            return false;
        }
        if (!good_rank(c, i, why))
            return false;
    }
    return true;
}

static bool good_run_size(size_t size, om_text *why)
{
    if (size <= OM_MOST_RUN_BYTES)
        return true;
    om_text_printf(why, "its run_size, %zu, is above %d", size, OM_MOST_RUN_BYTES);
    return false;
}

static bool good_kind(const om_descriptor *d, om_text *why)
{
    const entry frontend[] = { { "load", (uintptr_t) d->frontend.load },
        { "expression", (uintptr_t) d->frontend.expression },
        { "net", (uintptr_t) d->frontend.net },
        { "recognises", (uintptr_t) d->frontend.recognises },
        { "formula", (uintptr_t) d->frontend.formula } };
    const entry translator[] = { { "translate", (uintptr_t) d->translator.translate },
        { "translate_by", (uintptr_t) d->translator.translate_by } };
    const entry checker[] = { { "create", (uintptr_t) d->checker.create },
        { "work", (uintptr_t) d->checker.work }, { "destroy", (uintptr_t) d->checker.destroy },
        { "single_pass", (uintptr_t) d->checker.single_pass } };
    const entry guide[] = { { "create", (uintptr_t) d->guide.create },
        { "measure", (uintptr_t) d->guide.measure }, { "destroy", (uintptr_t) d->guide.destroy } };
    switch (d->head.kind) {
    case OM_PLUGIN_FRONTEND:
        if (d->frontend.suffixes == NULL) {
            om_text_add(why, "mandatory entry 'suffixes' is missing");
            return false;
        }
        return good_suffixes(d->frontend.suffixes, why) && good_functions(frontend, 2, why) &&
               good_optional(frontend + 2, sizeof frontend / sizeof *frontend - 2, why) &&
               good_bits("flags", d->frontend.flags, OM_FRONTEND_ALL, false, why);
    case OM_PLUGIN_TRANSLATOR:
        if (d->translator.rank > OM_HIGHEST_RANK) {
            om_text_printf(why, "its rank, %u, is above %d", d->translator.rank, OM_HIGHEST_RANK);
            return false;
        }
        return good_functions(translator, d->translator.translate_by == NULL ? 1 : 2, why);
    case OM_PLUGIN_GUIDE:
        if (d->guide.rank > OM_HIGHEST_RANK) {
            om_text_printf(why, "its rank, %u, is above %d", d->guide.rank, OM_HIGHEST_RANK);
            return false;
        }
        return good_run_size(d->guide.run_size, why) && good_functions(guide, 3, why);
    default:
        return good_run_size(d->checker.run_size, why) &&
               good_functions(checker, d->checker.single_pass == NULL ? 3 : 4, why) &&
               good_bits("strengths", d->checker.strengths, OM_FOR_ALL, true, why) &&
               good_bits("acceptance", d->checker.acceptance, OM_ACCEPT_ALL, true, why) &&
               good_bits("flags", d->checker.flags, OM_CHECKER_ALL, false, why) &&
               good_bits("product", d->checker.product, OM_PRODUCT_ALL, false, why) &&
               good_ranks(&d->checker, why);
    }
}

/* ---- its head ---- */

/* Size of a descriptor of this kind up to its last mandatory entry, included; 0: no such kind. */
static size_t smallest(uint32_t kind)
{
    switch (kind) {
    case OM_PLUGIN_FRONTEND:
        return offsetof(om_frontend, expression) + sizeof(void *);
    case OM_PLUGIN_TRANSLATOR:
        return offsetof(om_translator, translate) + sizeof(void *);
    case OM_PLUGIN_CHECKER:
        return offsetof(om_checker, destroy) + sizeof(void *);
    case OM_PLUGIN_GUIDE:
        return sizeof(om_guide);
    default:
        return 0;
    }
}

/* `room` is the size of the symbol in the shared object: bytes after it must not be read. */
static bool good_head(const om_plugin *p, size_t room, om_text *why)
{
    if (room < sizeof *p)
        om_text_printf(why, "descriptor has %zu bytes, too few for any plug-in", room);
    else if ((uintptr_t) p % alignof(om_descriptor) != 0)
        om_text_add(why, "descriptor is not aligned as C requires");
    else if (p->magic != OM_PLUGIN_MAGIC)
        om_text_printf(why, "wrong magic 0x%08x: not an omen plug-in", p->magic);
    else if (p->abi_major != OM_ABI_MAJOR || p->abi_minor > OM_ABI_MINOR)
        om_text_printf(why, "built for ABI %u.%u, this is %u.%u", p->abi_major, p->abi_minor,
            OM_ABI_MAJOR, OM_ABI_MINOR);
    else if (smallest(p->kind) == 0)
        om_text_printf(why, "unknown kind %u", p->kind);
    else if (p->size < smallest(p->kind) || p->size > room || p->size > sizeof(om_descriptor))
        om_text_printf(why,
            "descriptor states a size of %u bytes, but at least %zu are needed and %zu are present",
            p->size, smallest(p->kind), room);
    else if (!is_line(p->build) || strcmp(p->build, OM_BUILD) != 0)
        om_text_printf(
            why, "built with '%s', this is '%s'", is_line(p->build) ? p->build : "", OM_BUILD);
    else
        return true;
    return false;
}

/* Returns the descriptor and the size that the shared object states for it; NULL if it exports
 * none. */
static const om_plugin *find(void *handle, size_t *room)
{
    void *symbol = dlsym(handle, "omen_plugin");
    Dl_info info;
    void *extra = NULL;
    if (symbol == NULL || dladdr1(symbol, &info, &extra, RTLD_DL_SYMENT) == 0 || extra == NULL)
        return NULL;
    *room = ((const ElfW(Sym) *) extra)->st_size;
    return symbol;
}

bool om_descriptor__read(void *handle, om_descriptor *copy, om_text *why)
{
    size_t room = 0;
    const om_plugin *p = find(handle, &room);
    if (p == NULL) {
        om_text_add(why, "exports no 'omen_plugin'");
        return false;
    }
    if (!good_head(p, room, why))
        return false;
    memset(copy, 0, sizeof *copy);
    memcpy(copy, p, p->size);
    return good_texts(&copy->head, why) && good_options(copy->head.options, why) &&
           good_names(&copy->head, why) && good_kind(copy, why);
}
