import { openai } from "@envs/models";
import { expect, onTestFinished, test, vi } from "vitest";

test("a model names the addresses of its servers without their secrets", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("OPENAI_BASE_URL", "");
  expect(openai("small").baseURLs!()).toEqual(["https://api.openai.com/v1"]);
  vi.stubEnv("OPENAI_BASE_URL", "https://models.example.com/v1?key=secret");
  expect(openai("small").baseURLs!()).toEqual(["https://models.example.com/v1"]);
  const baseURL = "http://a.example.com/v1,http://b.example.com/v1";
  expect(openai("small", { baseURL }).baseURLs!()).toEqual(baseURL.split(","));
});

test("an invalid base URL is reported without its password", () => {
  const model = openai("m", { baseURL: "ftp://me:hunter2@example.com", apiKey: "k" });
  const check = () => model.check?.({ name: "any", policies: [], media: [] });
  expect(check).toThrow("is not valid");
  expect(check).not.toThrow("hunter2");
});
