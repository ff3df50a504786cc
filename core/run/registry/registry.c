// SPDX-License-Identifier: Apache-2.0
/* Loading plugins. A file is trusted only as far as its table says: the module symbol is data and is read, with the
 * sizes it states, before any callback is called. */
#include "registry.h"
#include "base/alloc.h"
#include "base/thread/where.h"
#include "preset/values/params.h"
#include <assert.h>
#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Reports of leaks name functions only while their library is loaded, and libraries that plugins pull in keep what they
 * took at their start: under AddressSanitizer nothing is unloaded. */
#if defined(__SANITIZE_ADDRESS__)
#define LOAD_FLAGS (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
#else
#define LOAD_FLAGS (RTLD_NOW | RTLD_LOCAL)
#endif

/* ---- checks of one module ---- */

/* Until 1.0 a minor version may change any struct, so only the host's own is taken. */
static_assert(BW_ABI_MAJOR == 0, "from 1.0 on older minors are to be read by the sizes that they state");

static enum bw_status module_check(const struct bw_module *m, const char *path, struct bw_diag *d)
{
    if (m->magic != BW_MAGIC)
        return bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: billow_module does not begin with Billow's magic number",
                             path);
    if (m->abi_major != BW_ABI_MAJOR || m->abi_minor < BW_ABI_MINOR)
        return bw_diag_error(d, NULL, BW_ERR_PLUGIN,
                             "%s: built for plugin interface %u.%u, this Billow has %d.%d: rebuild the plugin", path,
                             m->abi_major, m->abi_minor, BW_ABI_MAJOR, BW_ABI_MINOR);
    if (m->abi_minor > BW_ABI_MINOR)
        return bw_diag_error(d, NULL, BW_ERR_PLUGIN,
                             "%s: needs plugin interface %u.%u, this Billow has only %d.%d: update Billow", path,
                             m->abi_major, m->abi_minor, BW_ABI_MAJOR, BW_ABI_MINOR);
    if (m->size != sizeof *m || m->stage_size != sizeof(struct bw_stage_desc) ||
        m->exporter_size != sizeof(struct bw_exporter_desc) || m->param_size != sizeof(struct bw_param) ||
        m->port_size != sizeof(struct bw_port) || m->n_stages > 4096 || m->n_exporters > 4096)
        return bw_diag_error(d, NULL, BW_ERR_PLUGIN,
                             "%s: billow_module states sizes that cannot be (built against other headers?)", path);
    if ((m->n_stages && !m->stages) || (m->n_exporters && !m->exporters))
        return bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: billow_module announces entries but points at none", path);
    if (!m->n_stages && !m->n_exporters)
        return bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: billow_module lists neither stages nor exporters", path);
    return BW_OK;
}

static bool id_is_good(const char *id)
{
    if (!id || !*id || strlen(id) > 64) return false;
    for (const char *c = id; *c; c++)
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && !strchr("._-", *c)) return false;
    return islower((unsigned char)id[0]);
}

static enum bw_status id_refuse(const char *path, const char *what, uint32_t number, const char *id, struct bw_diag *d)
{
    return bw_diag_error(d, NULL, BW_ERR_PLUGIN,
                         "%s: %s %u has no usable id, %s%.64s%s: a lower-case letter, then lower-case letters, digits, "
                         "\".\", \"_\" and \"-\", 64 at most",
                         path, what, number, id ? "\"" : "", id ? id : "none", id ? "\"" : "");
}

/* A table under check, and whose it is. */
struct table {
    const char *path, *id;
    struct bw_diag *d;
    uint32_t *rows; ///< looked at so far: a table in itself, again and again, would have no end of them
};

static enum bw_status params_check(const struct table *t, const struct bw_param *rows, uint32_t n, uint32_t size,
                                   bool keyless, int depth);

static enum bw_status param_check(const struct table *t, const struct bw_param *p, uint32_t size, int depth)
{
    if (p->type > BW_PARAM_AMOUNTS)
        return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s: %s: parameter \"%s\" is of unknown type %u", t->path,
                             t->id, p->key, p->type);
    if (p->offset > size || bw_row_bytes(p) > size - p->offset)
        return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN,
                             "%s: %s: parameter \"%s\" lies outside its struct (offset %u of %u bytes)", t->path, t->id,
                             p->key, p->offset, size);
    if (p->type == BW_PARAM_CHOICE && !p->choices)
        return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s: %s: parameter \"%s\" is a choice without choices", t->path,
                             t->id, p->key);
    const bool nested = p->type == BW_PARAM_GROUP || p->type == BW_PARAM_VARIANT;
    if (p->flags & BW_PARAM_SHORT && !(nested && p->n_sub))
        return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN,
                             "%s: %s: parameter \"%s\" may be given as its first row, but has none", t->path, t->id,
                             p->key);
    if (p->type != BW_PARAM_LIST && !nested) {
        if (!p->n_sub) return BW_OK;
        return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s: %s: parameter \"%s\" has rows of its own, but is no table",
                             t->path, t->id, p->key);
    }
    bool empty = p->type == BW_PARAM_GROUP && !p->n_sub; /* a variant's group may be a word alone: `everywhere: {}` */
    if (!empty && (!p->n_sub || !p->sub || !p->sub_size))
        return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s: %s: parameter \"%s\" has no rows of its own", t->path,
                             t->id, p->key);
    return params_check(t, p->sub, p->n_sub, p->sub_size, p->type == BW_PARAM_LIST && p->n_sub == 1, depth + 1);
}

static enum bw_status params_check(const struct table *t, const struct bw_param *rows, uint32_t n, uint32_t size,
                                   bool keyless, int depth)
{
    if (n && !rows)
        return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s: %s announces %u parameters but points at none", t->path,
                             t->id, n);
    *t->rows += n <= 4096 ? n : 0;
    if (n > 4096 || depth > 8 || *t->rows > 65536)
        return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s: %s: its parameter table cannot be that large or deep",
                             t->path, t->id);
    for (uint32_t i = 0; i < n; i++) {
        struct bw_param p = rows[i];
        if (!keyless && (!p.key || !*p.key))
            return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s: %s: parameter %u has no key", t->path, t->id, i + 1);
        if (!p.key) p.key = "item";
        enum bw_status status = param_check(t, &p, size, depth);
        if (status != BW_OK) return status;
        for (uint32_t k = 0; k < i; k++)
            if (rows[k].key && !strcmp(rows[k].key, p.key))
                return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s: %s: parameter \"%s\" is there twice", t->path,
                                     t->id, p.key);
    }
    return BW_OK;
}

static bool attributes_good(const struct bw_port *p)
{
    if (p->n_attributes > 24 || (p->n_attributes && !p->attributes)) return false;
    for (uint32_t i = 0; i < p->n_attributes; i++) {
        const struct bw_attribute *a = &p->attributes[i];
        if (!a->name || !*a->name || a->precision > BW_I64 || (a->comps != 1 && a->comps != 3)) return false;
        if (!strcmp(a->name, "pos") && (a->comps != 3 || a->precision == BW_I64)) return false;
    }
    return true;
}

static enum bw_status ports_check(const struct table *t, const struct bw_port *rows, uint32_t n)
{
    if (n && !rows)
        return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s: %s announces %u ports but points at none", t->path, t->id,
                             n);
    if (n > 256)
        return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s: %s announces %u ports; 256 are the most", t->path, t->id,
                             n);
    for (uint32_t i = 0; i < n; i++) {
        struct bw_port p = rows[i];
        if (!p.name || !*p.name)
            return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s: %s: port %u has no name", t->path, t->id, i + 1);
        if (p.kind > BW_PARTICLES || p.precision > (p.kind == BW_PARTICLES ? BW_I64 : BW_F64P) || p.access < BW_READ ||
            p.access > BW_READ_LAST || p.lifetime > BW_STEP || (p.access == BW_READ_LAST && p.lifetime != BW_STEP))
            return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN,
                                 "%s: %s: port \"%s\" has an unknown kind, precision, access or lifetime", t->path,
                                 t->id, p.name);
        if (!attributes_good(&p))
            return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN,
                                 "%s: %s: port \"%s\" has an attribute without name or of unknown type", t->path, t->id,
                                 p.name);
        if (p.domain && (p.access != BW_READ || p.kind == BW_PARTICLES))
            return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN,
                                 "%s: %s: port \"%s\" is in another domain; grid fields can be read there, "
                                 "no more",
                                 t->path, t->id, p.name);
        for (uint32_t k = 0; k < i; k++) /* one name, once here and once in another domain: `bind` means both */
            if (!strcmp(rows[k].name, p.name) && !rows[k].domain == !p.domain)
                return bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s: %s: port \"%s\" is there twice", t->path, t->id,
                                     p.name);
    }
    return BW_OK;
}

/* ---- entries ---- */

enum bw_status bw_registry_entry(struct bw_registry *r, struct bw_entry e, struct bw_diag *d)
{
    for (int32_t i = 0; i < r->n_entries; i++) {
        struct bw_entry *old = &r->entry[i];
        if (strcmp(old->id, e.id) || old->exports != e.exports) continue;
        if (old->path == e.path) return bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: %s is there twice", e.path, e.id);
        if (strcmp(old->path, e.path)) old->shadows = e.path; /* else the same folder, named twice */
        return BW_OK;
    }
    struct bw_entry *list = bw_realloc(r->entry, (size_t)(r->n_entries + 1) * sizeof *list);
    if (!list) return BW_ERR_MEMORY;
    r->entry = list;
    r->entry[r->n_entries++] = e;
    return BW_OK;
}

static enum bw_status stage_add(struct bw_registry *r, const struct bw_module *m, uint32_t i, const char *path,
                                struct bw_diag *d)
{
    if (!m->stages[i]) return bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: stage %u is a null pointer", path, i + 1);
    const struct bw_stage_desc *s = m->stages[i];
    if (!id_is_good(s->id)) return id_refuse(path, "stage", i + 1, s->id, d);
    if (!s->step) return bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: stage %s has no step callback", path, s->id);
    uint32_t rows = 0;
    struct table table = {path, s->id, d, &rows};
    enum bw_status status = params_check(&table, s->params, s->n_params, s->params_size, false, 0);
    if (status == BW_OK) status = ports_check(&table, s->ports, s->n_ports);
    return status != BW_OK ? status : bw_registry_entry(r, (struct bw_entry){.id = s->id, .path = path, .stage = s}, d);
}

static enum bw_status exporter_add(struct bw_registry *r, const struct bw_module *m, uint32_t i, const char *path,
                                   struct bw_diag *d)
{
    if (!m->exporters[i])
        return bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: exporter %u is a null pointer", path, i + 1);
    const struct bw_exporter_desc *e = m->exporters[i];
    if (!id_is_good(e->id)) return id_refuse(path, "exporter", i + 1, e->id, d);
    if (!e->frame) return bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: exporter %s has no frame callback", path, e->id);
    uint32_t rows = 0;
    struct table table = {path, e->id, d, &rows};
    enum bw_status status = params_check(&table, e->params, e->n_params, e->params_size, false, 0);
    if (status != BW_OK) return status;
    return bw_registry_entry(r, (struct bw_entry){.id = e->id, .path = path, .exports = true, .exporter = e}, d);
}

enum bw_status bw_registry_add(struct bw_registry *r, const struct bw_module *m, const char *path, struct bw_diag *d)
{
    enum bw_status status = module_check(m, path, d);
    int32_t before = r->n_entries;
    for (uint32_t i = 0; status == BW_OK && i < m->n_stages; i++) status = stage_add(r, m, i, path, d);
    for (uint32_t i = 0; status == BW_OK && i < m->n_exporters; i++) status = exporter_add(r, m, i, path, d);
    if (status == BW_OK) return status;
    r->n_entries = before; /* one bad entry spoils the file: half a plugin surprises more than none */
    for (int32_t i = 0; i < before; i++)
        if (r->entry[i].shadows == path) r->entry[i].shadows = NULL;
    return status;
}

/* ---- files ---- */

/* A constructor that crashes does so in that file. */
static void *library_open(const char *path)
{
    struct where_spot spot = {0};
    const struct where_was was = where_enter(&spot, &(struct where_place){.plugin = path, .callback = "load"});
    void *handle = dlopen(path, LOAD_FLAGS);
    where_leave(&spot, &was);
    return handle;
}

/* The linker does not say it: would a library of usual size find room? */
static bool memory_lacks(void)
{
    const size_t usual = (size_t)16 << 20;
    void *room = mmap(NULL, usual, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return true;
    munmap(room, usual);
    return false;
}

enum bw_status bw_registry_load(struct bw_registry *r, const char *path, struct bw_diag *d)
{
    const char *problem = bw_elf_problem(path);
    if (problem) return bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: cannot be loaded: %s", path, problem);
    void *handle = library_open(path);
    if (!handle) {
        const char *why = dlerror();
        size_t n = strlen(path);
        if (why && !strncmp(why, path, n) && why[n] == ':') why += n + 1 + (why[n + 1] == ' ');
        bool memory = memory_lacks();
        return bw_diag_error(d, NULL, memory ? BW_ERR_MEMORY : BW_ERR_PLUGIN, "%s: cannot be loaded: %s%s", path,
                             memory ? "out of memory: " : "", why ? why : "unknown reason");
    }
    const struct bw_module *m = dlsym(handle, "billow_module");
    char *kept = bw_strdup(path);
    void **list = bw_realloc(r->handles, (size_t)(r->n_handles + 1) * sizeof *list);
    char **paths = bw_realloc(r->paths, (size_t)(r->n_paths + 1) * sizeof *paths);
    if (list) r->handles = list;
    if (paths) r->paths = paths;
    if (!kept || !list || !paths) {
        bw_free(kept);
        dlclose(handle);
        return BW_ERR_MEMORY;
    }
    r->handles[r->n_handles++] = handle;
    r->paths[r->n_paths++] = kept;
    if (!m) return bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: is no Billow plugin: it exports no billow_module", path);
    return bw_registry_add(r, m, kept, d);
}

void bw_registry_unload(struct bw_registry *r)
{
    for (int32_t i = 0; i < r->n_handles; i++) dlclose(r->handles[i]);
    for (int32_t i = 0; i < r->n_paths; i++) bw_free(r->paths[i]);
    bw_free(r->entry);
    bw_free(r->handles);
    bw_free(r->paths);
}
