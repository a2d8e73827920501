import type { Random } from "@envs/core";

import { between, day, type Domain, middleDay, rows } from "../domain.ts";

const cities = ["Lyon", "Porto", "Gdansk", "Turku", "Graz", "Cork"];
const people = ["Ada", "Bo", "Chen", "Dara", "Emeka", "Freya", "Goran", "Hana", "Ivo", "O'Neil"];
const categories = ["tools", "garden", "kitchen", "lights", "toys"];
const goods = ["hammer", "rake", "kettle", "lamp", "kite", "saw", "spade", "pan", "torch", "yoyo"];
const statuses = ["new", "paid", "delivered", "cancelled"];

const schema = `CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, joined_on TEXT NOT NULL);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price_cents INTEGER NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id), ordered_on TEXT NOT NULL, status TEXT NOT NULL);
CREATE TABLE order_items (order_id INTEGER NOT NULL REFERENCES orders (id), product_id INTEGER NOT NULL REFERENCES products (id), quantity INTEGER NOT NULL, PRIMARY KEY (order_id, product_id));`;

/** The total of an order's items, joined to orders `o`. */
const items = "JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id";

export const shop: Domain = {
  schema,

  fill(random) {
    const customers = between(random, 12, 30);
    const products = between(random, 10, 20);
    const orders = between(random, 25, 60);
    // Several customers and products have no order, and several orders no item.
    const buyers = Math.ceil(customers * 0.7);
    const sold = products - between(random, 1, 3);
    return {
      customers: rows(customers, (id) => {
        const city = random.int(6) === 0 ? null : random.pick(cities);
        return [id, random.pick(people), city, day(random)];
      }),
      products: rows(products, (id) => {
        const price = between(random, 2, 12) * 250;
        return [id, `${random.pick(goods)} ${id}`, random.pick(categories), price];
      }),
      orders: rows(orders, (id) => [
        id,
        1 + random.int(buyers),
        day(random),
        random.pick(statuses),
      ]),
      order_items: rows(orders, (id) => [id]).flatMap(([id]) => basket(random, Number(id), sold)),
    };
  },

  questions: {
    customersOfCity(random) {
      const [city, date] = [random.pick(cities), middleDay(random)];
      return {
        question: `What are the names of the customers who live in ${city} or joined before ${date}? Sort them alphabetically; different customers may have the same name.`,
        query: `SELECT name FROM customers WHERE city = '${city}' OR joined_on < '${date}' ORDER BY name`,
        isOrdered: true,
      };
    },
    ordersOfStatus(random) {
      const [status, date] = [random.pick(statuses), middleDay(random)];
      return {
        question: `How many orders were placed on ${date} or later, or have the status ${status}?`,
        query: `SELECT count(*) FROM orders WHERE status = '${status}' OR ordered_on >= '${date}'`,
      };
    },
    customersWithoutOrder(random) {
      const date = middleDay(random);
      return {
        question: `Which customers placed no order on ${date} or later? Return their ids and names.`,
        query: `SELECT id, name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.ordered_on >= '${date}')`,
      };
    },
    revenueOfCategories(random) {
      const least = between(random, 120, 300) * 100;
      return {
        question: `For each category, what is its revenue in cents: quantity times price, over the items of all orders that are not cancelled? Return the category and the revenue, only for categories with a revenue of at least ${least}.`,
        query: `SELECT p.category, sum(i.quantity * p.price_cents) FROM orders o ${items} WHERE o.status <> 'cancelled' GROUP BY p.category HAVING sum(i.quantity * p.price_cents) >= ${least}`,
      };
    },
    bestCustomers(random) {
      const [count, date] = [between(random, 2, 6), middleDay(random)];
      return {
        question: `Which ${count} customers spent most on orders that were placed before ${date} and are not cancelled? Return their ids and the cents that they spent, the highest sum first; of equal sums, the lower id first.`,
        query: `SELECT o.customer_id, sum(i.quantity * p.price_cents) AS spent FROM orders o ${items} WHERE o.ordered_on < '${date}' AND o.status <> 'cancelled' GROUP BY o.customer_id ORDER BY spent DESC, o.customer_id LIMIT ${count}`,
        isOrdered: true,
      };
    },
    productsWithoutOrder(random) {
      const [price, date] = [between(random, 4, 11) * 250, middleDay(random)];
      return {
        question: `Which products that cost at most ${price} cents are not in any order that was placed on ${date} or later? Return their ids.`,
        query: `SELECT id FROM products WHERE price_cents <= ${price} AND id NOT IN (SELECT i.product_id FROM order_items i JOIN orders o ON o.id = i.order_id WHERE o.ordered_on >= '${date}')`,
      };
    },
    itemsOfOrders(random) {
      const [status, date] = [random.pick(statuses), middleDay(random)];
      return {
        question: `What is the average total quantity of the orders that do not have the status ${status} and were placed before ${date}, rounded to 2 decimals? An order without items has the quantity 0.`,
        query: `SELECT round(avg(total), 2) FROM (SELECT o.id, coalesce(sum(i.quantity), 0) AS total FROM orders o LEFT JOIN order_items i ON i.order_id = o.id WHERE o.status <> '${status}' AND o.ordered_on < '${date}' GROUP BY o.id)`,
      };
    },
    dearestProducts(random) {
      const below = between(random, 130, 310) * 10;
      return {
        question: `For each category, which of its products below ${below} cents costs most? Return the category and the product's name; if several cost the same, return all of them.`,
        query: `SELECT category, name FROM products p WHERE price_cents = (SELECT max(price_cents) FROM products q WHERE q.category = p.category AND q.price_cents < ${below})`,
      };
    },
    ordersOfMonths(random) {
      const [year, above] = [between(random, 2023, 2025), random.int(10)];
      return {
        question: `How many orders of customers with an id above ${above} were placed in each month of ${year}? Leave out months without one. Return the month as YYYY-MM and the number, the earliest month first.`,
        query: `SELECT substr(ordered_on, 1, 7) AS month, count(*) FROM orders WHERE customer_id > ${above} AND ordered_on LIKE '${year}-%' GROUP BY month ORDER BY month`,
        isOrdered: true,
      };
    },
    frequentCustomers(random) {
      const [least, date] = [between(random, 2, 3), middleDay(random)];
      return {
        question: `Which customers have at least ${least} orders that were placed before ${date}? Return their names and the number of these orders. Different customers may have the same name.`,
        query: `SELECT c.name, count(*) FROM customers c JOIN orders o ON o.customer_id = c.id WHERE o.ordered_on < '${date}' GROUP BY c.id HAVING count(*) >= ${least}`,
      };
    },
    customersWithoutCity(random) {
      const date = middleDay(random);
      return {
        question: `How many customers who joined on ${date} or later do not live in ${cities[0]}? A customer whose city is unknown does not count.`,
        query: `SELECT count(*) FROM customers WHERE joined_on >= '${date}' AND city <> '${cities[0]}'`,
      };
    },
    broadCustomers(random) {
      const [least, date] = [between(random, 2, 3), middleDay(random)];
      return {
        question: `Which customers ordered products of at least ${least} different categories, in all their orders before ${date} together? Return their ids, the lowest first.`,
        query: `SELECT o.customer_id FROM orders o ${items} WHERE o.ordered_on < '${date}' GROUP BY o.customer_id HAVING count(DISTINCT p.category) >= ${least} ORDER BY o.customer_id`,
        isOrdered: true,
      };
    },
  },
};

function basket(random: Random, order: number, sold: number): readonly (readonly number[])[] {
  const products = random.shuffle(Array.from({ length: sold }, (_, index) => index + 1));
  return products.slice(0, random.int(4)).map((id) => [order, id, between(random, 1, 5)]);
}
