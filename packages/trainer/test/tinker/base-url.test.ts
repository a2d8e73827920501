import { expect, test } from "vitest";

import { ServiceClient } from "../../src/tinker/service-client.ts";

test("rejects a base URL with a password, without printing it", () => {
  const create = () =>
    new ServiceClient({
      baseURL: "https://me:hunter2@tinker.example.com",
      apiKey: undefined,
      retries: 0,
      signal: new AbortController().signal,
    });
  expect(create).toThrow("https://***:***@tinker.example.com/ contains a user name or a password");
});
