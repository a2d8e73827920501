import { rolloutErrorCodes } from "@envs/core/engine";
import { expect, test } from "vitest";

import { errorReference } from "../../src/error-reference.ts";
import { envsHere } from "../command.ts";

test("explains a code of the hub with its HTTP status", async () => {
  const { stdout, code } = await envsHere(["explain", "version-exists"]);
  expect({ code, stdout }).toMatchInlineSnapshot(`
    {
      "code": 0,
      "stdout": "version-exists (Hub: publishing, HTTP 409)
    The version is already published.

    Why:  A published version never changes.
    Fix:  Raise the version in package.json and publish again.
    ",
    }
  `);
});

test("names the page of the code on the configured hub", async () => {
  const { stdout } = await envsHere(["explain", "INVALID_JSON"], {
    ENVS_HUB: "https://hub.example.com",
  });
  expect(stdout).toContain("https://hub.example.com/docs/errors#invalid_json\n");
});

test("explains both meanings of a code that two areas share", async () => {
  const { stdout } = await envsHere(["explain", "invalid-address"]);
  expect(stdout).toContain("invalid-address (Hub client)");
  expect(stdout).toContain("invalid-address (Hub: requests, HTTP 400)");
});

test("lists all codes without an argument", async () => {
  const { stdout } = await envsHere(["explain"]);
  expect(stdout).toMatch(/^Rollouts\n {2}model +The model did not return/);
  expect(stdout).toMatch(/^ {2}path-backslash +A path contains a backslash\.$/m);
});

test("prints entries as JSON", async () => {
  const { stdout } = await envsHere(["explain", "wrong-code", "--json"]);
  expect(JSON.parse(stdout)).toEqual([
    expect.objectContaining({ code: "wrong-code", area: "Hub: accounts", statuses: [400, 401] }),
  ]);
});

test("suggests a similar code when the code is unknown", async () => {
  const { stderr, code } = await envsHere(["explain", "version-exist"]);
  expect(code).toBe(2);
  expect(stderr).toContain(
    'Unknown error code "version-exist". Did you mean version-exists? List all codes: envs explain',
  );
});

test("explains each code of a rollout", async () => {
  const rollouts = (await errorReference()).filter(({ area }) => area === "Rollouts");
  expect(rollouts.map(({ code }) => code)).toEqual(rolloutErrorCodes);
});

test("explains every code in whole sentences", async () => {
  const reference = await errorReference();
  for (const { what, why, fix } of reference)
    for (const sentence of [what, why, fix]) expect(sentence).toMatch(/^\S.*\.$/);
});
