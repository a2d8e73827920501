/** The part of core's `Random` that the generator uses. */
export interface RandomSource {
  int(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** An order of the shop. */
export interface Order {
  readonly id: string;
  readonly item: string;
  /** In euros. */
  readonly price: number;
  readonly status: "processing" | "shipped" | "delivered";
  /** The days since its delivery; 0 before. */
  readonly days: number;
  readonly isFinalSale: boolean;
}

/** A customer, as the shop's database has them. */
export interface Customer {
  readonly email: string;
  readonly isMember: boolean;
  readonly orders: readonly Order[];
}

export const wishes = ["refund", "cancel", "move"] as const;
export type Wish = (typeof wishes)[number];

const names = ["ada", "ben", "cleo", "dan", "eve", "finn", "gil", "hana", "ivo", "june"];
const items = ["kettle", "lamp", "tent", "radio", "chair", "blanket", "toaster", "rucksack"];
const streets = ["Mill Lane", "Harbour Street", "Station Road", "Castle Hill", "Garden Row"];
const prices = [9, 25, 49, 120, 199, 260, 480];

/** A customer with two orders. */
export function customer(random: RandomSource): Customer {
  const first = random.int(items.length);
  const second = (first + 1 + random.int(items.length - 1)) % items.length;
  return {
    email: `${random.pick(names)}${random.int(90) + 10}@example.com`,
    isMember: random.int(2) === 0,
    orders: [first, second].map((item, index) =>
      order(`A-${1000 + 2 * random.int(4500) + index}`, items[item]!, random),
    ),
  };
}

/** A new address. */
export function address(random: RandomSource): string {
  return `${random.int(98) + 1} ${random.pick(streets)}`;
}

function order(id: string, item: string, random: RandomSource): Order {
  const status = random.pick(["processing", "shipped", "delivered", "delivered"] as const);
  return {
    id,
    item,
    price: random.pick(prices),
    status,
    // Many of these ages are near the limits of 30 and 60 days.
    days: status === "delivered" ? random.pick([3, 20, 29, 30, 31, 45, 60, 61, 90]) : 0,
    isFinalSale: random.int(5) === 0,
  };
}
