/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/silicon/qemu/plugin_api.h: QEMU's plugin interface, of whichever version, as plugin.c uses it.
 *
 * The header is the authority: the one that `make QEMU_PLUGIN_HEADER=path` includes before all else, or <qemu-plugin.h>
 * where it is installed. Distributions package the program without it, so what is used here is declared below as well,
 * for versions 1 to 6: QEMU_PLUGIN_API says which (from the Makefile), 1 if nobody does. QEMU up to 8.2 takes version
 * 1, later ones take 2 and above; 9.0 has 2, 9.1 has 3, 9.2 and 10.0 have 4, 10.1 has 5.
 *
 * Of what is used here, version 3 changed qemu_plugin_insn_data() and version 7 the callbacks: hence api_insn_data()
 * and api_register(). The rest has stayed as it was.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef QEMU_PLUGIN_VERSION
#if __has_include(<qemu-plugin.h>) && __has_include(<glib.h>) /* from version 2 on the header wants it */
#include <qemu-plugin.h>
#endif
#endif

#ifndef QEMU_PLUGIN_VERSION /* no header */
#ifndef QEMU_PLUGIN_API
#define QEMU_PLUGIN_API 1
#endif
#define QEMU_PLUGIN_VERSION QEMU_PLUGIN_API
_Static_assert(QEMU_PLUGIN_VERSION >= 1 && QEMU_PLUGIN_VERSION <= 6, "no other version is declared here");
#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))
typedef uint64_t qemu_plugin_id_t;
typedef struct {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    union {
        struct {
            int smp_vcpus, max_vcpus;
        } system;
    };
} qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
typedef uint32_t qemu_plugin_meminfo_t;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_CB_RW_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_simple_cb_t)(qemu_plugin_id_t id, unsigned int vcpu);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *user);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *user);
typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *user);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t callback);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t callback,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *user);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t callback,
                                            enum qemu_plugin_cb_flags flags, void *user);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t callback,
                                          enum qemu_plugin_cb_flags flags, void *user);
void qemu_plugin_register_vcpu_idle_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t callback);
void qemu_plugin_register_vcpu_resume_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t callback);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t callback, void *user);
typedef void (*qemu_plugin_simple_cb_t)(qemu_plugin_id_t id);
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb_t callback);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
#if QEMU_PLUGIN_VERSION >= 3
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t bytes);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#endif
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *hw);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *hw);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
#endif

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

/* Copy the bytes of an instruction; returns how many. */
static inline size_t api_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t room)
{
#if QEMU_PLUGIN_VERSION >= 3
    return qemu_plugin_insn_data(insn, to, room);
#else
    size_t bytes = qemu_plugin_insn_size(insn);

    bytes = bytes < room ? bytes : room;
    memcpy(to, qemu_plugin_insn_data(insn), bytes);
    return bytes;
#endif
}

/* plugin.c has these; they are what api_register() registers. */
static void on_translation(struct qemu_plugin_tb *tb);
static void on_exit_of_qemu(void);
static void on_idle(unsigned int cpu);
static void on_resume(unsigned int cpu);

#if QEMU_PLUGIN_VERSION >= 7
static void api_translation(struct qemu_plugin_tb *tb, void *)
{
    on_translation(tb);
}
static void api_idle(unsigned int cpu, void *)
{
    on_idle(cpu);
}
static void api_resume(unsigned int cpu, void *)
{
    on_resume(cpu);
}
static void api_exit(void *)
{
    on_exit_of_qemu();
}
#else
static void api_translation(qemu_plugin_id_t, struct qemu_plugin_tb *tb)
{
    on_translation(tb);
}
static void api_idle(qemu_plugin_id_t, unsigned int cpu)
{
    on_idle(cpu);
}
static void api_resume(qemu_plugin_id_t, unsigned int cpu)
{
    on_resume(cpu);
}
static void api_exit(qemu_plugin_id_t, void *)
{
    on_exit_of_qemu();
}
#endif

static inline void api_register(qemu_plugin_id_t id)
{
#if QEMU_PLUGIN_VERSION >= 7
    qemu_plugin_register_vcpu_tb_trans_cb(id, api_translation, NULL);
    qemu_plugin_register_vcpu_idle_cb(id, api_idle, NULL);
    qemu_plugin_register_vcpu_resume_cb(id, api_resume, NULL);
#else
    qemu_plugin_register_vcpu_tb_trans_cb(id, api_translation);
    qemu_plugin_register_vcpu_idle_cb(id, api_idle);
    qemu_plugin_register_vcpu_resume_cb(id, api_resume);
#endif
    qemu_plugin_register_atexit_cb(id, api_exit, NULL);
}
