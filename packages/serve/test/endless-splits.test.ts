import { defineEnvironment, end } from "@envs/core";
import { expect, test as base } from "vitest";

import { inlineHost } from "../src/host/inline-host.ts";
import { resetQuery } from "../src/sessions/reset-query.ts";

/** Counts the rows that its endless dataset has generated. */
const test = base.extend("endless", async () => {
  const counts = { rows: 0 };
  const define = defineEnvironment({
    name: "endless",
    description: "Has an endless dataset",
    dataset: function* () {
      for (let index = 0; ; index += 1) {
        counts.rows += 1;
        yield { prompt: `Row ${index}.`, id: `row-${index}` };
      }
    },
    respond: () => end(),
    rubric: { fine: () => 1 },
  });
  const host = await inlineHost({ environment: define() }, 0);
  counts.rows = 0;
  return { host, counts };
});

test("a seed selects one of the first 10,000 examples of an endless split", async ({ endless }) => {
  const { host, counts } = endless;
  const query = await resetQuery(host, { seed: 2 ** 32 - 1 });
  expect(query.index).toBe((2 ** 32 - 1) % 10_000);
  expect(await host.task(query)).toMatchObject({ id: `row-${query.index}` });
  expect(counts.rows).toBeLessThanOrEqual(10_000);
});

test("an index beyond the first 10,000 of an endless split is rejected without reading rows", async ({
  endless,
}) => {
  const { host, counts } = endless;
  await expect(host.task({ index: 10_000 })).rejects.toThrow(
    "Select one of the first 10000, or reset without an index to get the next one.",
  );
  expect(counts.rows).toBe(0);
});

test("the next examples of an endless split continue after the first 10,000, and stay selectable for a while", async ({
  endless: { host, counts },
}) => {
  for (let index = 0; index <= 15_000; index += 1) await host.task({});
  expect(counts.rows).toBe(15_001);
  expect(await host.task({ index: 15_000 })).toMatchObject({ id: "row-15000" });
  expect(await host.task({ index: 3 })).toMatchObject({ id: "row-3" });
  expect(counts.rows).toBe(15_001);
  await expect(host.task({ index: 10_001 })).rejects.toThrow("cannot be selected");
});

base("an episode that is closed while its example is read never starts", async () => {
  let starts = 0;
  const define = defineEnvironment({
    name: "slow-rows",
    description: "Reads its examples asynchronously",
    dataset: async function* () {
      for (;;) yield { prompt: "Next." };
    },
    setup: () => void (starts += 1),
    respond: () => end(),
    rubric: { fine: () => 1 },
  });
  const host = await inlineHost({ environment: define() }, 0);
  const opening = host.open("id", { split: "train", index: 5, id: "5" }, { seed: 0 });
  await host.close("id");
  await expect(opening).rejects.toThrow("The episode was closed.");
  expect(starts).toBe(0);
});
