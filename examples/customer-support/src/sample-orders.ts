import type { Order } from "./orders.ts";

/** The orders of a day in the shop. */
export const sampleOrders: readonly Order[] = [
  order("A-1001", "ada@example.com", "whisk", 12, "delivered", 5),
  order("A-1002", "ada@example.com", "kettle", 45, "shipped"),
  order("A-1003", "ben@example.com", "mixer", 189, "delivered", 10),
  order("A-1004", "cleo@example.com", "toaster", 39, "delivered", 45),
  order("A-1005", "dan@example.com", "knife", 60, "delivered", 2),
  order("A-1006", "eve@example.com", "scales", 25, "processing"),
  order("A-1007", "finn@example.com", "pan", 55, "delivered", 29),
  order("A-1008", "gil@example.com", "oven", 420, "delivered", 60),
  order("A-1009", "hana@example.com", "bowl", 18, "delivered", 31),
  order("A-1010", "ivo@example.com", "grater", 9, "delivered", 1),
];

function order(
  id: string,
  email: string,
  item: string,
  price: number,
  status: Order["status"],
  deliveredDaysAgo?: number,
): Order {
  return {
    id,
    email,
    item,
    price,
    status,
    ...(deliveredDaysAgo === undefined ? {} : { deliveredDaysAgo }),
  };
}
