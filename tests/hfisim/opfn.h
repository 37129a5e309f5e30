/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_OPFN_H
#define HFISIM_OPFN_H

#include "packet.h"

/*
 * OPFN is how two HFIs agree on TID RDMA: an RC compare-and-swap to the
 * address ~0 carries 64 bits of parameters one way, its atomic
 * acknowledgment carries 64 bits back (opfn.c, tid_rdma.c of the driver).
 */

struct hfi;

/* more QPs than that never negotiate at the same time */
#define OPFN_REQUESTS	1024

/**
 * struct opfn_override - what an HFI shall announce instead of its own data
 * @mask: bits of the 64-bit OPFN word (tid_rdma.c, tid_rdma_opfn_encode())
 *	that are replaced; 0 for none
 * @value: the bits to put there
 * @request: 1 + PSN of the OPFN requests that the HFI sent last, a ring;
 *	an acknowledgment by the peer is an OPFN reply if its PSN is here
 * @next: where in @request the next one goes
 */
struct opfn_override {
	u64 mask;
	u64 value;
	u32 request[OPFN_REQUESTS];
	u32 next;
};

/**
 * opfn_set() - replace one field from now on
 * @override: of the HFI that sends
 * @field: max_len (bytes), max_read, max_write (segments), jkey, timeout,
 *	urg, ver, context and kdeth (of the QP for TID RDMA), or raw (the whole
 *	word)
 * @value: as the driver means it
 *
 * Return: NULL, or what is wrong with the field or value.
 */
const char *opfn_set(struct opfn_override *override, const char *field, u64 value);

/**
 * opfn_clear() - announce the driver's own data again
 * @override: of the HFI that sends
 */
void opfn_clear(struct opfn_override *override);

/**
 * opfn_rewrite() - apply the override to a packet that is being sent
 * @hfi: the HFI that sends; hfi->opfn is the override
 * @packet: parsed; any packet but KIND_BYPASS and KIND_MALFORMED. Its data
 *	is changed if it is an OPFN request or reply and the mask is not 0.
 *
 * A reply that says no to the request (no parameters) is left alone, but
 * not when the whole word is overridden.
 */
void opfn_rewrite(struct hfi *hfi, struct packet *packet);

#endif
