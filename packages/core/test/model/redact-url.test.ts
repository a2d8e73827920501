import { parseMetadata } from "@envs/records";
import fc from "fast-check";
import { expect, test } from "vitest";

import { isRedacted, redactUrl } from "../../src/engine.ts";

test.each([
  ["http://localhost:8000/v1", "http://localhost:8000/v1"],
  ["https://api.example.com/v1/?api-version=2026-01-01", undefined],
  ["https://me:hunter2@api.example.com/v1", "https://***:***@api.example.com/v1"],
  [
    "https://api.example.com/v1?key=a&api-version=1&key=b",
    "https://api.example.com/v1?key=***&api-version=1",
  ],
  ["me:hunter2@host/v1?key=hunter2", "***@host/v1?***"],
])("redacts %s", (url, expected = url) => {
  expect(redactUrl(url)).toBe(expected);
  expect(isRedacted(redactUrl(url))).toBe(redactUrl(url).includes("***"));
});

test("removes user names, passwords and values of the query, wherever they are", () => {
  const part = fc.stringMatching(/^[a-z]{3,8}$/).map((text) => `secret-${text}`);
  fc.assert(
    fc.property(part, part, fc.array(fc.tuple(part, part)), (user, password, query) => {
      const values = query.map(([name, value]) => `${name.slice(7)}=${value}`).join("&");
      const url = `https://${user}:${password}@example.com/v1?${values}#${password}`;
      expect(redactUrl(url)).not.toContain("secret-");
      expect(redactUrl(redactUrl(url))).toBe(redactUrl(url));
    }),
  );
});

test("metadata of older versions is read without the secrets of its addresses", () => {
  const address = "http://localhost/v1?token=hunter2";
  const metadata = parseMetadata({
    env_id: "a",
    model: "m",
    base_url: address,
    plan: { baseURL: address, seed: 3 },
  });
  expect(metadata).toMatchObject({
    base_url: "http://localhost/v1?token=***",
    plan: { baseURL: "http://localhost/v1?token=***", seed: 3 },
  });
  expect(parseMetadata({ env_id: "a", model: "m", plan: { seed: 3 } })["plan"]).toEqual({
    seed: 3,
  });
});
