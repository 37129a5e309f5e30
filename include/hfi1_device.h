/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From one of hfi1's objects to another. Origin: hfi.h and verbs.h of hfi1.
 */
#ifndef HFI1_TID_WAIT_DEVICE_H
#define HFI1_TID_WAIT_DEVICE_H

/* hdr_type of a QP whose packets have LIDs of 16 bits. */
#define HFI1_PKT_TYPE_9B		0

/**
 * to_idev() - hfi1's verbs device
 * @ibdev: the IB device inside it
 *
 * Context: any.
 * Return: the verbs device.
 */
static inline struct hfi1_ibdev *to_idev(struct ib_device *ibdev)
{
	return container_of(ib_to_rvt(ibdev), struct hfi1_ibdev, rdi);
}

/**
 * dd_from_ibdev() - the HFI behind an IB device
 * @ibdev: the IB device
 *
 * Context: any.
 * Return: hfi1's device data.
 */
static inline struct hfi1_devdata *dd_from_ibdev(struct ib_device *ibdev)
{
	return container_of(to_idev(ibdev), struct hfi1_devdata, verbs_dev);
}

/**
 * to_iport() - a port of an IB device
 * @ibdev: the IB device
 * @port: number of the port, from 1
 *
 * Context: any.
 * Return: the verbs half of the port.
 */
static inline struct hfi1_ibport *to_iport(struct ib_device *ibdev, u32 port)
{
	struct hfi1_devdata *dd = dd_from_ibdev(ibdev);

	WARN_ON_ONCE(!port || port > dd->num_pports);
	return &dd->pport[port - 1].ibport_data;
}

/**
 * ppd_from_ibp() - the port that a verbs half belongs to
 * @ibp: the verbs half
 *
 * Context: any.
 * Return: hfi1's port data.
 */
static inline struct hfi1_pportdata *ppd_from_ibp(struct hfi1_ibport *ibp)
{
	return container_of(ibp, struct hfi1_pportdata, ibport_data);
}

/**
 * wqe_to_tid_req() - the TID RDMA request of a send work request
 * @wqe: the work request; of a QP of TID RDMA, else it has no private part
 *
 * Context: any.
 * Return: the request.
 */
static inline struct tid_rdma_request *wqe_to_tid_req(struct rvt_swqe *wqe)
{
	struct hfi1_swqe_priv *priv = wqe->priv;

	return &priv->tid_req;
}

/* As an index into a QP's queues (s_tid_cur, r_tid_tail and their like): none. */
#define HFI1_QP_WQE_INVALID	((u32)-1)

/**
 * ack_to_tid_req() - the TID RDMA request of a peer's request
 * @e: its entry in s_ack_queue; of a QP of TID RDMA
 *
 * Context: any.
 * Return: the request.
 */
static inline struct tid_rdma_request *ack_to_tid_req(struct rvt_ack_entry *e)
{
	struct hfi1_ack_priv *priv = e->priv;

	return &priv->tid_req;
}

#endif
