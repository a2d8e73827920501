import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findPrice } from "@envs/models/prices";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";

const date = new Date("2026-11-20T12:00:00Z");
const openai = "https://api.openai.com/v1";

const priceOf = (name: string, ...baseURLs: readonly string[]) =>
  findPrice({ name, baseURLs, date });

afterEach(() => void vi.unstubAllEnvs());

describe("the table of genai-prices", () => {
  test("has the price of a known model at the address of its provider", async () => {
    expect(await priceOf("gpt-5-mini", openai)).toEqual({
      input: 0.25,
      output: 2,
      cacheRead: 0.025,
      source: expect.stringMatching(/^genai-prices \d+\.\d+\.\d+: openai\/gpt-5-mini$/),
    });
  });

  test("has the prices of a cache, and the first of prices by the length of the prompt", async () => {
    expect(await priceOf("claude-sonnet-4-5", "https://api.anthropic.com/v1")).toMatchObject({
      input: 3,
      output: 15,
      cacheRead: 0.3,
      cacheWrite: 3.75,
    });
  });

  test("has the price of embeddings, which have no tokens of replies", async () => {
    expect(await priceOf("text-embedding-3-small", openai)).toMatchObject({
      input: 0.02,
      output: 0,
    });
  });

  test.each([
    ["a server on this machine", "gpt-5-mini", ["http://localhost:8000/v1"]],
    ["a server at another address", "gpt-5-mini", ["https://models.example.com/v1"]],
    ["servers of which one is another", "gpt-5-mini", [openai, "https://models.example.com/v1"]],
    ["an unknown model", "a-model-of-tomorrow", [openai]],
    ["a model that charges for requests", "sonar", ["https://api.perplexity.ai"]],
  ])("has no price for %s", async (_, name, baseURLs) => {
    expect(await priceOf(name, ...baseURLs)).toBeUndefined();
  });

  test("has the price of a date, for a model whose price has changed", async () => {
    const at = (time: string) =>
      findPrice({
        name: "deepseek-chat",
        baseURLs: ["https://api.deepseek.com"],
        date: new Date(time),
      });
    const [day, night] = [await at("2025-03-01T12:00:00Z"), await at("2025-03-01T20:00:00Z")];
    expect(day!.input).not.toBe(night!.input);
  });
});

describe("ENVS_PRICES", () => {
  async function table(content: unknown): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "envs-prices-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "prices.json");
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  }

  const models = [
    {
      id: "house-model",
      match: { starts_with: "house-model" },
      prices: [
        { prices: { input_mtok: 1, output_mtok: 4 } },
        {
          constraint: { type: "start_date", start_date: "2026-11-01" },
          prices: { input_mtok: 0.5, output_mtok: 2, cache_read_mtok: 0.05 },
        },
      ],
    },
  ];
  const house = {
    id: "house",
    name: "House",
    api_pattern: "https://models\\.example\\.com",
    models,
  };
  const reseller = {
    id: "reseller",
    name: "Reseller",
    api_pattern: "https://reseller\\.example\\.com",
    models: [],
    fallback_model_providers: ["house"],
  };

  test("replaces the table by a file of the same format", async () => {
    vi.stubEnv("ENVS_PRICES", await table([house, reseller]));
    const price = { input: 0.5, output: 2, cacheRead: 0.05 };
    expect(await priceOf("house-model-2", "https://models.example.com/v1")).toEqual({
      ...price,
      source: expect.stringMatching(/^prices\.json \(sha256 [0-9a-f]{8}\): house\/house-model$/),
    });
    expect(await priceOf("house-model", "https://reseller.example.com/v1")).toMatchObject(price);
    expect(await priceOf("gpt-5-mini", openai)).toBeUndefined();
    const before = { name: "house-model", date: new Date("2026-10-01") };
    expect(await findPrice({ ...before, baseURLs: ["https://models.example.com"] })).toMatchObject({
      input: 1,
      output: 4,
    });
  });

  test("also names prices of servers without TLS, such as one's own", async () => {
    vi.stubEnv("ENVS_PRICES", await table([{ ...house, api_pattern: "http://localhost:8000" }]));
    const price = await priceOf("house-model", "http://localhost:8000/v1");
    expect(price).toMatchObject({ input: 0.5, output: 2 });
  });

  test("is off without a table", async () => {
    vi.stubEnv("ENVS_PRICES", "off");
    expect(await priceOf("gpt-5-mini", openai)).toBeUndefined();
  });

  test("reports a file that is missing or has another format", async () => {
    vi.stubEnv("ENVS_PRICES", "missing.json");
    await expect(priceOf("gpt-5-mini", openai)).rejects.toThrow(
      /Cannot read the prices in missing\.json: .*Set ENVS_PRICES to a file of prices, or to off\./,
    );
    vi.stubEnv("ENVS_PRICES", await table({ "gpt-5-mini": 1 }));
    await expect(priceOf("gpt-5-mini", openai)).rejects.toThrow(
      "has no prices in the format of genai-prices",
    );
    vi.stubEnv("ENVS_PRICES", await table("{"));
    await expect(priceOf("gpt-5-mini", openai)).rejects.toThrow("ENVS_PRICES names this file.");
  });
});
