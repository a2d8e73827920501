import type { Model } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { openai } from "@envs/models";
import { expect, test } from "vitest";

import { planOf, withPrices } from "../src/options.ts";

const budget = { cost: 0.5 };
const baseURL = "https://api.openai.com/v1";
const mini = { input: 0.25, output: 2, cacheRead: 0.025 };

/** An agent as `agent()` of the gateway makes it. */
function agentWith(model: Model): Model {
  const ask: Model = (request) => model(request);
  return Object.assign(ask, {
    id: `agent with ${model.id}`,
    wrapModel: (wrap: (inner: Model) => Model) => agentWith(wrap(model)),
  });
}

test("a budget of cost finds the price of a known model on its provider's server", async () => {
  const model = openai("gpt-5-mini", { baseURL });
  const { prices } = await withPrices(planOf({ model, budget }));
  expect(prices?.get(model)).toMatchObject(mini);
});

test("a budget of cost finds the price of the model that answers an agent", async () => {
  const model = agentWith(openai("gpt-5-mini", { baseURL }));
  const { prices } = await withPrices(planOf({ model, budget }));
  expect(prices?.get(model)).toMatchObject(mini);
});

test("a budget of cost counts judges and sub-models at their own prices", async () => {
  const model = scriptedModel("a reply");
  const judge = openai("gpt-5-mini", { baseURL });
  const subModel = openai("gpt-5-mini", { baseURL });
  const price = { input: 1, output: 3 };
  const unpriced = await withPrices(planOf({ model, judge, subModel, budget, price }));
  expect(unpriced.prices?.get(judge)).toMatchObject(mini);
  expect(unpriced.prices?.get(subModel)).toEqual(price);
  const main = openai("gpt-5", { baseURL });
  const { prices } = await withPrices(planOf({ model: main, subModel, budget }));
  expect(prices?.get(subModel)).toMatchObject(mini);
  const local = scriptedModel("a part");
  const fallback = await withPrices(planOf({ model: main, subModel: local, budget }));
  expect(fallback.prices?.get(local)).toBe(fallback.prices?.get(main));
});

test("a price of the caller replaces that of the table", async () => {
  const price = { input: 1, output: 3 };
  const model = openai("gpt-5-mini", { baseURL });
  expect((await withPrices(planOf({ model, budget, price }))).prices?.get(model)).toEqual(price);
});

test.each([
  ["gpt-5-mini", openai("gpt-5-mini", { baseURL: "http://localhost:8000/v1" })],
  ["scripted", scriptedModel("a reply")],
  ["gpt-5-mini", agentWith(openai("gpt-5-mini", { baseURL: "http://localhost:8000/v1" }))],
])("a budget of cost rejects %s without a known price", async (name, model) => {
  await expect(withPrices(planOf({ model, budget }))).rejects.toThrow(
    `that of ${name} is not known. Pass price: { input, output }, each per million tokens.`,
  );
});

test("a budget of cost finds the prices of an agent's helpers", async () => {
  const worker = openai("gpt-5-mini", { baseURL });
  const model = Object.assign(agentWith(openai("gpt-5", { baseURL })), { helpers: { worker } });
  const { prices } = await withPrices(planOf({ model, budget }));
  expect(prices?.get(worker)).toMatchObject(mini);
  expect(prices?.get(model)).toMatchObject({ input: 1.25 });
});

test("no price is looked up without a budget of cost", async () => {
  const plan = planOf({ model: scriptedModel("a reply"), budget: { tokens: 100 } });
  expect((await withPrices(plan)).prices?.size).toBe(0);
});
