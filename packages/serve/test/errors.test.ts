import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { errors } from "../src/commands.ts";
import { serveErrors } from "../src/errors.ts";

test("errors.md explains each code of a session with its status, in the same order", async () => {
  const text = await readFile(errors, "utf8");
  const entries = text.matchAll(/^### `(?<code>.+)`\n\nHTTP (?<status>\d+)/gm);
  expect([...entries].map(([, code, status]) => [code, Number(status)])).toEqual(
    Object.entries(serveErrors),
  );
});
