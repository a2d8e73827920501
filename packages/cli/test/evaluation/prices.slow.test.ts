import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { modelServer } from "@envs/models/testing";
import { expect, onTestFinished, test } from "vitest";

import { envsHere, temporaryFolder } from "../command.ts";

/** A server, and a file with the price of its model in the format of genai-prices. */
async function pricedServer() {
  const server = await modelServer({ name: "house-model", answer: () => "olleh" });
  onTestFinished(() => server.close());
  const folder = await temporaryFolder();
  const prices = join(folder, "house.json");
  const model = {
    id: "house-model",
    match: { equals: "house-model" },
    prices: { input_mtok: 1000, output_mtok: 2000 },
  };
  const provider = { id: "house", name: "House", api_pattern: "http://127\\.0\\.0\\.1" };
  await writeFile(prices, JSON.stringify([{ ...provider, models: [model] }]));
  return { server, folder, prices };
}

test("envs eval computes the cost by the table of ENVS_PRICES, and records and shows its source", async () => {
  const { server, folder, prices } = await pricedServer();
  const args = ["eval", "reverse-text", "-m", "house-model", "--base-url", server.url];
  const sized = [...args, "-n", "2", "-r", "1", "--save", folder];
  const { stdout, code, stderr } = await envsHere(sized, { ENVS_PRICES: prices });
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(
    /cost \d+\.\d{4}\nprices +1000 in, 2000 out per million tokens, an estimate by house\.json \(sha256 \w{8}\): house\/house-model\n/,
  );
  const [, run = ""] = /envs view (\S+)/.exec(stdout)!;
  const metadata = JSON.parse(await readFile(join(run, "metadata.json"), "utf8")) as {
    readonly cost: number;
    readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  };
  const { input_tokens: input, output_tokens: output } = metadata.usage;
  expect(metadata).toMatchObject({
    price: {
      input: 1000,
      output: 2000,
      source: expect.stringContaining("house.json") as string,
    },
    cost: (input * 1000 + output * 2000) / 1e6,
  });
  const shown = await envsHere(["view", run]);
  expect(shown.stdout).toMatch(
    /cost +\d+\.\d{4} \(1000 in, 2000 out .* an estimate by house\.json/,
  );

  const without = await envsHere([...sized, "--json"]);
  expect(JSON.parse(without.stdout)).not.toHaveProperty("cost");
});

test("envs optimize enforces --max-cost by the table, and rejects it without a price", async () => {
  const { server, folder, prices } = await pricedServer();
  const models = ["-m", "house-model", "--reflection", "house-model", "--base-url", server.url];
  const args = ["optimize", "reverse-text", ...models, "--save", folder, "--max-cost", "0.5"];
  const small = ["--train-examples", "2", "--held-out-examples", "2"];
  const without = await envsHere([...args, ...small]);
  expect(without.code).toBe(2);
  expect(without.stderr).toContain("--max-cost requires the prices of both models");
  const priced = await envsHere([...args, ...small, "--json"], { ENVS_PRICES: prices });
  expect(priced.code, priced.stderr).toBe(0);
  expect(JSON.parse(priced.stdout)).toMatchObject({
    cost: expect.any(Number) as number,
    prices: { model: { input: 1000 }, reflection: { output: 2000 } },
  });
});
