import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../src");

test("the package imports zod, and nothing of Node", async () => {
  const files = (await readdir(src, { recursive: true })).filter((path) => path.endsWith(".ts"));
  const texts = await Promise.all(files.map((path) => readFile(join(src, path), "utf8")));
  const imported = texts.flatMap((text) =>
    Array.from(text.matchAll(/from "([^".][^"]*)"/g), ([, specifier]) => specifier),
  );
  expect([...new Set(imported)]).toEqual(["zod"]);
});
