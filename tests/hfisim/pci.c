// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "hfi.h"

/*
 * The configuration space that QEMU's vfio-user-pci and the driver look at.
 * QEMU emulates BAR, MSI-X enable and the table itself; it reads the
 * capabilities from here.
 */

#define VENDOR_INTEL	0x8086
#define SUBSYSTEM	0x2628
#define REVISION_B1	0x11
#define CLASS_FABRIC	0x0208

/* offsets in the header */
#define VENDOR_ID	0x00
#define DEVICE_ID	0x02
#define STATUS		0x06
#define REVISION_ID	0x08
#define CLASS		0x0a
#define BAR0		0x10
#define BAR_LAST	0x27
#define SUBSYSTEM_ID	0x2c
#define CAPABILITIES	0x34

#define STATUS_CAPABILITIES	0x10
#define BAR_64BIT		0x04
#define BAR_ADDRESS_BYTE	3	/* 64 MiB: address bits start in byte 3 */
#define BAR_ADDRESS_MASK	0xfc

/* capabilities: the driver hardcodes where MSI-X is (pcie.c) */
#define CAP_PM		0x40
#define CAP_PCIE	0x70
#define CAP_MSIX	0xb0
#define ID_PM		0x01
#define ID_PCIE		0x10
#define ID_MSIX		0x11

#define PM_VERSION_3	0x0003
#define PM_NO_SOFT_RESET 0x0008

#define PCIE_ENDPOINT_V2	0x0002
#define PCIE_DEVCAP		(CAP_PCIE + 0x04)
#define PCIE_DEVCTL		(CAP_PCIE + 0x08)
#define PCIE_LNKCAP		(CAP_PCIE + 0x0c)
#define PCIE_LNKSTA		(CAP_PCIE + 0x12)
#define PCIE_DEVCAP2		(CAP_PCIE + 0x24)
#define PCIE_LNKCAP2		(CAP_PCIE + 0x2c)
#define DEVCAP_FLR		0x10000000u
#define DEVCAP_ROLE_ERRORS	0x00008000u
#define DEVCAP_PAYLOAD_256	0x00000001u
#define DEVCTL_DEFAULT		0x2810
#define DEVCTL_FLR_BYTE		(PCIE_DEVCTL + 1)
#define DEVCTL_FLR		0x80
#define LINK_GEN3_X16		(3 | 16 << 4)
#define DEVCAP2_TIMEOUTS	0x1f
#define LNKCAP2_GEN1_TO_3	0x0e

#define MSIX_CONTROL_HIGH	(CAP_MSIX + 3)
#define MSIX_CONTROL_WRITABLE	0xc0
#define MSIX_TABLE	0x100000
#define MSIX_PBA	0x110000

/* bytes that cannot be written, first and last */
static const struct { u16 first, last; } read_only[] = {
	{ VENDOR_ID, DEVICE_ID + 1 },
	{ REVISION_ID, CLASS + 1 },
	{ BAR0 + 8, BAR_LAST },
	{ SUBSYSTEM_ID, SUBSYSTEM_ID + 3 },
	{ CAPABILITIES, CAPABILITIES },
	{ CAP_PM, CAP_PM + 3 },
	{ CAP_PCIE, PCIE_DEVCAP + 3 },
	{ PCIE_LNKCAP, PCIE_LNKCAP + 3 },
	{ PCIE_LNKSTA, PCIE_LNKSTA + 1 },
	{ PCIE_DEVCAP2, PCIE_DEVCAP2 + 3 },
	{ PCIE_LNKCAP2, PCIE_LNKCAP2 + 3 },
	{ CAP_MSIX, CAP_MSIX + 2 },
	{ CAP_MSIX + 4, CAP_MSIX + 11 },
};

static void put16(struct pci *pci, u32 offset, u16 value)
{
	pci->config[offset] = (u8)value;
	pci->config[offset + 1] = (u8)(value >> 8);
}

static void put32(struct pci *pci, u32 offset, u32 value)
{
	put16(pci, offset, (u16)value);
	put16(pci, offset + 2, (u16)(value >> 16));
}

static void put_capability(struct pci *pci, u32 offset, u8 id, u8 next, u16 word)
{
	pci->config[offset] = id;
	pci->config[offset + 1] = next;
	put16(pci, offset + 2, word);
}

void pci_init(struct hfi *hfi)
{
	struct pci *pci = &hfi->pci;

	memset(pci, 0, sizeof(*pci));
	put16(pci, VENDOR_ID, VENDOR_INTEL);
	put16(pci, DEVICE_ID, hfi->config.device_id);
	put16(pci, STATUS, STATUS_CAPABILITIES);
	pci->config[REVISION_ID] = REVISION_B1;
	put16(pci, CLASS, CLASS_FABRIC);
	put32(pci, BAR0, BAR_64BIT);
	put16(pci, SUBSYSTEM_ID, VENDOR_INTEL);
	put16(pci, SUBSYSTEM_ID + 2, SUBSYSTEM);
	pci->config[CAPABILITIES] = CAP_PM;

	put_capability(pci, CAP_PM, ID_PM, CAP_PCIE, PM_VERSION_3);
	put32(pci, CAP_PM + 4, PM_NO_SOFT_RESET);

	put_capability(pci, CAP_PCIE, ID_PCIE, CAP_MSIX, PCIE_ENDPOINT_V2);
	put32(pci, PCIE_DEVCAP,
	      DEVCAP_FLR | DEVCAP_ROLE_ERRORS | DEVCAP_PAYLOAD_256);
	put16(pci, PCIE_DEVCTL, DEVCTL_DEFAULT);
	put32(pci, PCIE_LNKCAP, LINK_GEN3_X16);
	put16(pci, PCIE_LNKSTA, LINK_GEN3_X16);
	put32(pci, PCIE_DEVCAP2, DEVCAP2_TIMEOUTS);
	put32(pci, PCIE_LNKCAP2, LNKCAP2_GEN1_TO_3);

	put_capability(pci, CAP_MSIX, ID_MSIX, 0, MSIX_VECTORS - 1);
	put32(pci, CAP_MSIX + 4, MSIX_TABLE);
	put32(pci, CAP_MSIX + 8, MSIX_PBA);
}

static bool in_config(u64 offset, u32 size)
{
	return size <= PCI_CONFIG_SIZE && offset <= PCI_CONFIG_SIZE - size;
}

int pci_read(struct hfi *hfi, u64 offset, void *data, u32 size)
{
	if (!in_config(offset, size))
		return -EINVAL;
	memcpy(data, hfi->pci.config + offset, size);
	return 0;
}

static bool is_read_only(u32 offset)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(read_only); i++) {
		if (offset >= read_only[i].first && offset <= read_only[i].last)
			return true;
	}
	return false;
}

static void write_byte(struct hfi *hfi, u32 offset, u8 value)
{
	u8 *byte = &hfi->pci.config[offset];

	if (is_read_only(offset))
		return;
	if (offset == BAR0)
		value = BAR_64BIT;
	else if (offset > BAR0 && offset < BAR0 + BAR_ADDRESS_BYTE)
		value = 0;
	else if (offset == BAR0 + BAR_ADDRESS_BYTE)
		value &= BAR_ADDRESS_MASK;
	else if (offset == MSIX_CONTROL_HIGH)
		value &= MSIX_CONTROL_WRITABLE;
	*byte = value;
	if (offset == DEVCTL_FLR_BYTE && value & DEVCTL_FLR) {
		*byte &= (u8)~DEVCTL_FLR;
		hfi_log(hfi, LOG_NOTICE, "function level reset");
		hfi_reset(hfi);
	}
}

int pci_write(struct hfi *hfi, u64 offset, const void *data, u32 size)
{
	const u8 *bytes = data;
	u32 i;

	if (!in_config(offset, size))
		return -EINVAL;
	for (i = 0; i < size; i++)
		write_byte(hfi, (u32)offset + i, bytes[i]);
	return 0;
}
