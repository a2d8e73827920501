import { afterEach, describe, expect, test, vi } from "vitest";

import { loadModel } from "../../src/models/load-model.ts";

const options = { endpoints: {}, concurrency: 1 };

describe("the price of a model", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test("is that of the table for a known model on its provider's server", async () => {
    vi.stubEnv("OPENAI_BASE_URL", "");
    const known = { input: 0.25, output: 2, cacheRead: 0.025 };
    const source = expect.stringMatching(/^genai-prices .*: openai\/gpt-5-mini$/) as string;
    const own = await loadModel("gpt-5-mini", options);
    expect(own.price).toEqual({ ...known, source });
    const endpoints = {
      mini: { model: "gpt-5-mini" },
      claude: { model: "claude-sonnet-4-5", dialect: "messages" as const },
    };
    expect((await loadModel("mini", { ...options, endpoints })).price).toEqual(own.price);
    const claude = await loadModel("claude", { ...options, endpoints });
    expect(claude.price).toMatchObject({ cacheRead: 0.3, cacheWrite: 3.75 });
  });

  test("is unknown for a server at another address, whatever its models are called", async () => {
    vi.stubEnv("OPENAI_BASE_URL", "https://models.example.com/v1");
    expect((await loadModel("gpt-5-mini", options)).price).toBeUndefined();
    const baseURL = "http://localhost:8000/v1";
    expect((await loadModel("gpt-5-mini", { ...options, baseURL })).price).toBeUndefined();
  });

  test("is that of the config file if it sets one", async () => {
    const price = { input: 1, output: 3 };
    const endpoints = { mini: { model: "gpt-5-mini", price } };
    const { price: loaded } = await loadModel("mini", { ...options, endpoints });
    expect(loaded).toEqual({ ...price, source: "envs.config.ts" });
  });
});
