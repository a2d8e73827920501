import { describe, expect, test } from "vitest";

import { resolveConnection } from "../../../src/commands/rollouts/trainer-connection.ts";

const gateway = {
  AGL_OPENAI_BASE_URL: "http://gateway/v1",
  AGL_KEY: "agl",
  AGL_EVENT_URL: "http://gateway/events",
};
const openai = {
  OPENAI_BASE_URL: "http://openai/v1",
  OPENAI_API_KEY: "sk",
  OPENAI_MODEL: "qwen",
};

describe("resolveConnection", () => {
  test.each([
    ["uses OpenAI's variables", {}, openai, ["http://openai/v1", "sk", "qwen"]],
    ["prefers a gateway", {}, { ...openai, ...gateway }, ["http://gateway/v1", "agl", "qwen"]],
    ["names the model of a gateway default", {}, gateway, ["http://gateway/v1", "agl", "default"]],
    [
      "prefers flags to all variables",
      { baseURL: "http://mine/v1", model: "m" },
      { ...openai, ...gateway },
      ["http://mine/v1", "sk", "m"],
    ],
    [
      "does not send OpenAI's key to a gateway",
      {},
      { ...gateway, AGL_KEY: "", OPENAI_API_KEY: "sk" },
      ["http://gateway/v1", "none", "default"],
    ],
  ])("%s", (_, flags, variables, expected) => {
    const { baseURL, apiKey, model } = resolveConnection(flags, variables);
    expect([baseURL, apiKey, model]).toEqual(expected);
  });

  test("posts rewards only to a gateway, with its key", () => {
    expect(resolveConnection({}, gateway).events).toEqual({
      url: "http://gateway/events",
      key: "agl",
    });
    expect(resolveConnection({}, openai).events).toBeUndefined();
  });

  test.each([
    [{}, {}, "Missing URL of the model's server"],
    [{ baseURL: "http://mine/v1" }, {}, "Missing model"],
    [{ apiKeyVariable: "NO_SUCH_KEY" }, openai, "The environment variable NO_SUCH_KEY is not set"],
  ])("rejects the flags %j with the variables %j", (flags, variables, message) => {
    expect(() => resolveConnection(flags, variables)).toThrow(message);
  });
});
