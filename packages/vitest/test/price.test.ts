import { scriptedModel } from "@envs/core/testing";
import { openai } from "@envs/models";
import { expect, test } from "vitest";

import { planOf, withPrice } from "../src/options.ts";

const budget = { cost: 0.5 };
const baseURL = "https://api.openai.com/v1";

test("a budget of cost finds the price of a known model on its provider's server", async () => {
  const plan = await withPrice(planOf({ model: openai("gpt-5-mini", { baseURL }), budget }));
  expect(plan.price).toMatchObject({ input: 0.25, output: 2, cacheRead: 0.025 });
});

test("a price of the caller replaces that of the table", async () => {
  const price = { input: 1, output: 3 };
  const model = openai("gpt-5-mini", { baseURL });
  expect((await withPrice(planOf({ model, budget, price }))).price).toEqual(price);
});

test.each([
  ["gpt-5-mini", openai("gpt-5-mini", { baseURL: "http://localhost:8000/v1" })],
  ["scripted", scriptedModel("a reply")],
])("a budget of cost rejects %s without a known price", async (name, model) => {
  await expect(withPrice(planOf({ model, budget }))).rejects.toThrow(
    `that of ${name} is not known. Pass price: { input, output }, each per million tokens.`,
  );
});

test("no price is looked up without a budget of cost", async () => {
  const plan = planOf({ model: scriptedModel("a reply"), budget: { tokens: 100 } });
  expect(await withPrice(plan)).toBe(plan);
});
