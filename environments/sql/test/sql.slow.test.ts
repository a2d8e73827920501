import { evaluate, policy, random } from "@envs/core";
import { checkEnvironment } from "@envs/core/testing";
import { expect, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import { gradeIn, provider } from "../src/database.ts";
import sql from "../src/index.ts";
import { tasks } from "../src/tasks.ts";

/** Queries that are nearly right. Each is wrong on some rows only. */
const nearMisses: readonly (readonly [kind: string, from: string | RegExp, to: string])[] = [
  ["customersOfCity", " OR ", " AND "],
  ["customersOfCity", " ORDER BY name", ""],
  ["customersOfCity", "SELECT name", "SELECT DISTINCT name"],
  ["ordersOfStatus", "count(*)", "count(DISTINCT customer_id)"],
  ["customersWithoutOrder", /NOT EXISTS.*$/u, "id NOT IN (SELECT customer_id FROM orders)"],
  ["revenueOfCategories", " WHERE o.status <> 'cancelled'", ""],
  ["revenueOfCategories", "i.quantity * p.price_cents)", "p.price_cents)"],
  ["revenueOfCategories", / HAVING.*$/u, ""],
  ["bestCustomers", " DESC", ""],
  ["bestCustomers", " AND o.status <> 'cancelled'", ""],
  ["productsWithoutOrder", /o.ordered_on >= '.*?'/u, "1"],
  ["itemsOfOrders", "LEFT JOIN", "JOIN"],
  ["itemsOfOrders", "coalesce(sum(i.quantity), 0)", "sum(i.quantity)"],
  ["dearestProducts", "SELECT category, name", "SELECT category, max(name)"],
  ["ordersOfMonths", " ORDER BY month", " ORDER BY count(*)"],
  ["frequentCustomers", "GROUP BY c.id", "GROUP BY c.name"],
  ["frequentCustomers", "count(*) >=", "count(*) >"],
  ["customersWithoutCity", "AND city <> 'Lyon'", "AND (city <> 'Lyon' OR city IS NULL)"],
  ["broadCustomers", "DISTINCT ", ""],
  ["missingBooks", " AND returned_on IS NULL", ""],
  ["prolificAuthors", / HAVING.*$/u, ""],
  ["readersOfCountry", "DISTINCT ", ""],
  ["unreadBooks", /AND l.lent_on >= '.*?'/u, ""],
  ["daysOfLoans", "b.pages >", "b.pages >= 0 AND b.pages <"],
  ["popularBooks", /WHERE loans = .*$/u, "ORDER BY loans DESC LIMIT 1"],
  ["membersOfYears", " DESC", ""],
  ["repeatedLoans", "count(*) > 1 AND ", ""],
  ["repeatedLoans", "min(l.lent_on)", "max(l.lent_on)"],
  ["longBooks", "DESC, title", "DESC, title DESC"],
  ["pagesOfCountries", "a.country IS NOT NULL AND ", ""],
  ["longestLoans", "max(julian", "min(julian"],
  ["quietMembers", "SELECT name", "SELECT DISTINCT name"],
];

// Each rollout starts two threads.
test("passes the conformance suite", async () => {
  await checkEnvironment(sql, { packageName: packageJson.name, fullReward: 1, examples: 2 });
});

test("rewards the oracle for every kind of question", async () => {
  const { reward } = await evaluate(sql(), {
    model: policy("oracle"),
    examples: 24,
    rolloutsPerExample: 1,
    concurrency: 4,
  });
  expect(reward).toMatchObject({ mean: 1, min: 1 });
});

test("rewards no hard-coded rows", async () => {
  const { reward, scores } = await evaluate(sql(), {
    model: policy("hardcode"),
    examples: 24,
    rolloutsPerExample: 1,
    concurrency: 4,
  });
  expect([reward.mean, scores.visible.mean]).toEqual([0, 1]);
});

test("gives nothing for at least 98 % of the queries that are nearly right", async () => {
  const box = await provider.create();
  const rows = tasks("eval", { random: random("near"), showSchema: false })
    .take(120)
    .toArray();
  const options = { isQuery: true, signal: new AbortController().signal };
  const passed: string[] = [];
  let count = 0;
  for (const [kind, from, to] of nearMisses)
    for (const example of rows.filter((row) => row.kind === kind)) {
      const query = example.query.replace(from, to);
      expect(query, kind).not.toBe(example.query);
      count += 1;
      if ((await gradeIn(box, example, query, options)).correct) passed.push(`${kind}: ${query}`);
    }
  await box[Symbol.asyncDispose]();
  expect(count).toBeGreaterThan(150);
  expect(passed.length / count, passed.join("\n")).toBeLessThan(0.02);
});

test("gives nothing for an empty result of any question", async () => {
  const box = await provider.create();
  const options = { isQuery: true, signal: new AbortController().signal };
  const passed: string[] = [];
  for (const example of tasks("eval", {
    random: random("empty"),
    showSchema: false,
  }).take(240)) {
    const query = `SELECT * FROM (${example.query}) WHERE 0`;
    if ((await gradeIn(box, example, query, options)).correct) passed.push(example.query);
  }
  await box[Symbol.asyncDispose]();
  expect(passed).toEqual([]);
});
