/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HFISIM_PCI_H
#define HFISIM_PCI_H

#include "types.h"

struct hfi;

#define PCI_CONFIG_SIZE	4096

/**
 * struct pci - the configuration space
 * @config: its bytes
 */
struct pci {
	u8 config[PCI_CONFIG_SIZE];
};

/**
 * pci_init() - configuration space after power-on
 * @hfi: the HFI
 */
void pci_init(struct hfi *hfi);

/**
 * pci_read() - read configuration space
 * @hfi: the HFI
 * @offset: of the first byte
 * @data: filled in
 * @size: in bytes
 *
 * Return: 0, -EINVAL if the range is not in the space.
 */
int pci_read(struct hfi *hfi, u64 offset, void *data, u32 size);

/**
 * pci_write() - write configuration space; may reset the HFI (FLR)
 * @hfi: the HFI
 * @offset: of the first byte
 * @data: what is written
 * @size: in bytes
 *
 * Return: 0, -EINVAL if the range is not in the space.
 */
int pci_write(struct hfi *hfi, u64 offset, const void *data, u32 size);

#endif
