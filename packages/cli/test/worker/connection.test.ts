import { describe, expect, test } from "vitest";

import { resolveConnection } from "../../src/worker/trainer-connection.ts";

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

describe("where a worker finds its model", () => {
  test.each([
    ["OpenAI's variables", {}, openai, ["http://openai/v1", "sk", "qwen"]],
    ["a gateway before them", {}, { ...openai, ...gateway }, ["http://gateway/v1", "agl", "qwen"]],
    ["a gateway needs no name", {}, gateway, ["http://gateway/v1", "agl", "default"]],
    [
      "flags before all",
      { baseURL: "http://mine/v1", model: "m" },
      { ...openai, ...gateway },
      ["http://mine/v1", "sk", "m"],
    ],
    [
      "no key goes to a server that it was not given for",
      {},
      { ...gateway, AGL_KEY: "", OPENAI_API_KEY: "sk" },
      ["http://gateway/v1", "none", "default"],
    ],
  ])("%s", (_, given, variables, expected) => {
    const { baseURL, apiKey, model } = resolveConnection(given, variables);
    expect([baseURL, apiKey, model]).toEqual(expected);
  });

  test("rewards go to the gateway with its key, else nowhere", () => {
    expect(resolveConnection({}, gateway).events).toEqual({
      url: "http://gateway/events",
      key: "agl",
    });
    expect(resolveConnection({}, openai).events).toBeUndefined();
  });

  test.each([
    [{}, {}, "Name the server of the model with --base-url"],
    [{ baseURL: "http://mine/v1" }, {}, "Name the model with -m"],
    [{ apiKeyVariable: "NO_SUCH_KEY" }, openai, "The environment variable NO_SUCH_KEY is not set"],
  ])("%j of %j is too little", (given, variables, message) => {
    expect(() => resolveConnection(given, variables)).toThrow(message);
  });
});
