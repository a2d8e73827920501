/** An order of the shop. */
export interface Order {
  readonly id: string;
  readonly email: string;
  readonly item: string;
  /** In euros. */
  readonly price: number;
  readonly status: "processing" | "shipped" | "delivered";
  /** The days since the delivery. */
  readonly deliveredDaysAgo?: number;
}

/** Money that was returned. */
export interface Refund {
  readonly orderId: string;
  readonly amount: number;
}

/** The orders, and what support has done with them. A shop would use a database; this store is in memory. */
export class OrderStore {
  readonly #orders: readonly Order[];
  readonly refunds: Refund[] = [];
  readonly escalations: string[] = [];

  constructor(orders: readonly Order[]) {
    this.#orders = orders;
  }

  ordersOf(email: string): readonly Order[] {
    return this.#orders.filter((order) => order.email === email.trim().toLowerCase());
  }

  /** Returns the price of an order. Throws if it does not exist, or has been refunded. */
  refund(orderId: string): Refund {
    const order = this.#orders.find(({ id }) => id === orderId);
    if (order === undefined) throw new Error(`There is no order ${orderId}.`);
    if (this.refunds.some((refund) => refund.orderId === orderId))
      throw new Error(`The order ${orderId} has been refunded already.`);
    const refund = { orderId, amount: order.price };
    this.refunds.push(refund);
    return refund;
  }

  /** Hands the conversation over to a person. */
  escalate(reason: string): void {
    this.escalations.push(reason);
  }
}
