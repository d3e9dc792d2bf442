/* SPDX-License-Identifier: GPL-2.0 */
/*
 * layout - where the members of a private struct are, and whether that is proved
 *
 * Private structs are in no header that a module can include.  include/compat has what is
 * read of each, as the releases that were seen have it; each file that uses one has a struct
 * iob_layout for it, and its provider names that.  The offsets are the kernel's own, from its
 * BTF, where there is one.  Elsewhere they are those of include/compat, and what is read by
 * them is believed only behind a proof of its own.
 *
 * A layout is
 *   proved    by BTF, or by use: what was read by it has turned out to be right
 *   unproved  there is no BTF, and it was not used yet
 *   wrong     BTF has no such member, or one of another size; or what was read by it has
 *             turned out to be wrong.  It is not used, or fails its proof each time.
 * `status` shows each with what that costs:
 *
 *     layout wb_writeback_work proved by=btf reason=24
 *     layout wb_writeback_work unproved error=-2 at stake: why a flusher writes
 */
#ifndef IOB_CORE_LAYOUT_H
#define IOB_CORE_LAYOUT_H

#include <linux/kernel.h>
#include <linux/types.h>

struct module;
struct seq_file;

#define IOB_LAYOUT_MEMBERS	12

struct iob_layout_member {
	const char *name;	/* the kernel's; '|' separates names of other releases */
	u16 offset;		/* as include/compat has it */
	u16 size;		/* of what is read, which must be the kernel's; 0: any */
};

enum iob_layout_btf {
	IOB_LAYOUT_NO_BTF,
	IOB_LAYOUT_BTF_AGREES,
	IOB_LAYOUT_BTF_DIFFERS,
};

/*
 * Probes read .at and .btf at any time.  They change when the struct's module comes, before
 * hooks in it are attached.
 */
struct iob_layout {
	const char *type;	/* the struct's name */
	const char *module;	/* the module that has it; NULL: the kernel */
	bool builtin;		/* the module is built into the kernel */
	const char *cost;	/* what is lost if the layout is wrong */
	const struct iob_layout_member *member;
	unsigned int nr;
	u16 of;			/* the size of the struct; 0: it does not matter */
	u16 at[IOB_LAYOUT_MEMBERS];	/* the offsets that are used */
	enum iob_layout_btf btf;
	int err;		/* why there is no BTF */
	bool looked;		/* it was looked up since its module came */
	unsigned int bad;	/* the member that differs */
	bool held, failed;	/* what was read by it was right, or wrong */
	bool by_use_only;	/* no struct, and shown only if it was used */
};

/* A member that is read as @field of @mirror, a struct of include/compat. */
#define IOB_LAYOUT_MEMBER(name_, mirror, field)	{			\
	.name = name_, .offset = offsetof(mirror, field),			\
	.size = sizeof_field(mirror, field),				\
}

/* .module and .builtin of a struct in the module @name, which @config configures */
#define IOB_LAYOUT_IN(name, config)	.module = name, .builtin = IS_BUILTIN(config)

/* .member and .nr of a layout */
#define IOB_LAYOUT_OF(table)	.member = table, .nr = ARRAY_SIZE(table)

int iob_layout_add(struct iob_layout *l);
void iob_layouts_init(void);
void iob_layouts_module_came(const struct module *mod);
void iob_layouts_module_goes(const struct module *mod);
bool iob_layouts_known(const char *module);
void iob_layouts_show(struct seq_file *m);

/* True if the kernel's BTF has the layout: what is read by it needs no proof.  Any context. */
static inline bool iob_layout_is_sure(const struct iob_layout *l)
{
	/* whoever sees this sees the offsets that were stored before */
	return smp_load_acquire(&l->btf) == IOB_LAYOUT_BTF_AGREES;
}

/* True if the kernel's BTF says that it is wrong: nothing is to be read by it.  Any context. */
static inline bool iob_layout_is_bad(const struct iob_layout *l)
{
	return READ_ONCE(l->btf) == IOB_LAYOUT_BTF_DIFFERS;
}

/* True if the offsets are known, of a layout that begins without.  Any context. */
static inline bool iob_layout_is_learnt(const struct iob_layout *l)
{
	/* whoever sees this sees what iob_layout_learn() has stored before */
	return iob_layout_is_sure(l) || smp_load_acquire(&l->held);
}

void iob_layout_tell(struct iob_layout *l, bool right);
void iob_layout_learn(struct iob_layout *l, unsigned int nr, unsigned long offset);

/* The address of member @nr of @object.  Any context. */
static inline const void *iob_layout_at(const struct iob_layout *l, unsigned int nr,
					const void *object)
{
	return (const char *)object + READ_ONCE(l->at[nr]);
}

#endif
