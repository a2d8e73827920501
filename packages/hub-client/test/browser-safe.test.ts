import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../src");

test("imports only zod", async () => {
  const files = (await readdir(src, { recursive: true })).filter((path) => path.endsWith(".ts"));
  const sources = await Promise.all(files.map((path) => readFile(join(src, path), "utf8")));
  const specifiers = sources.flatMap((text) =>
    Array.from(text.matchAll(/from "([^".][^"]*)"/g), ([, specifier]) => specifier),
  );
  expect([...new Set(specifiers)]).toEqual(["zod"]);
});
