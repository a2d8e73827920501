import { readFile } from "node:fs/promises";

import { errorReference, hubErrors } from "@envs/hub-client/error-reference";
import { expect, test } from "vitest";

test("errors.md explains each code of the hub with its status, in the same order", async () => {
  const text = await readFile(errorReference, "utf8");
  const entries = text.matchAll(/^### `(?<code>.+)`\n\nHTTP (?<status>\d+)/gm);
  expect([...entries].map(([, code, status]) => [code, Number(status)])).toEqual(
    Object.entries(hubErrors),
  );
});
