import { expect, onTestFinished, test, vi } from "vitest";

import { openai } from "../../src/index.ts";

test("a model names the addresses of its servers without what may be secret", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("OPENAI_BASE_URL", "");
  expect(openai("small").baseURLs!()).toEqual(["https://api.openai.com/v1"]);
  vi.stubEnv("OPENAI_BASE_URL", "https://models.example.com/v1?key=secret");
  expect(openai("small").baseURLs!()).toEqual(["https://models.example.com/v1"]);
  const baseURL = "http://a.example.com/v1,http://b.example.com/v1";
  expect(openai("small", { baseURL }).baseURLs!()).toEqual(baseURL.split(","));
});
