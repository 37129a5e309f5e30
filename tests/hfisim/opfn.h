/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_OPFN_H
#define HFISIM_OPFN_H

#include "packet.h"

struct hfi;

/**
 * struct opfn_override - what an HFI shall announce instead of its own data
 * @mask: bits of the 64-bit OPFN word (tid_rdma.c, tid_rdma_opfn_encode())
 *	that are replaced; 0 for none
 * @value: the bits to put there
 */
struct opfn_override {
	u64 mask;
	u64 value;
};

/**
 * opfn_rewrite() - apply the override to a packet that is being sent
 * @hfi: the HFI that sends; hfi->opfn is the override
 * @packet: parsed; any packet but KIND_BYPASS and KIND_MALFORMED. Its data
 *	is changed if it is an OPFN request or reply and the mask is not 0.
 */
void opfn_rewrite(struct hfi *hfi, struct packet *packet);

#endif
