import { mkdtemp, open, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { random } from "@envs/core";
import { csv, jsonl, parquet } from "@envs/data";
import fc from "fast-check";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";

const schema = z.object({ n: z.coerce.number() });
const linesOf = (start: number, end: number) =>
  Array.from({ length: end - start }, (_, row) => `{"n":${start + row}}\n`).join("");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "envs-data-positions-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function cache(): Promise<string> {
  const path = await mkdtemp(join(folder, "cache-"));
  vi.stubEnv("XDG_CACHE_HOME", path);
  onTestFinished(() => void vi.unstubAllEnvs());
  return path;
}

async function written(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** The rows from a position on, as core reads them. */
async function from<Row>(rows: AsyncIterable<Row>, index: number): Promise<Row[]> {
  const seekable = rows as AsyncIterable<Row> & { from(index: number): AsyncIterable<Row> };
  return Array.fromAsync(seekable.from(index));
}

test("reads rows from a position on, across files of each format", async () => {
  await cache();
  const datasets = [
    jsonl(
      [
        await written("a.jsonl", linesOf(0, 3)),
        await written("b.jsonl.gz", gzipSync(linesOf(3, 7))),
        await written("c.json", '[{"n":7},{"n":8}]'),
        await written("d.jsonl", linesOf(9, 11)),
      ],
      { schema },
    ),
    csv([await written("a.csv", "n\n0\n1\n2\n"), await written("b.csv", 'n\n"3"\n4\n')], {
      schema,
    }),
    parquet(join(import.meta.dirname, "fixtures/values.parquet"), {
      schema,
      columns: { n: "id" },
    }),
  ];
  for (const rows of datasets) {
    const all = await Array.fromAsync(rows);
    for (let index = 0; index <= all.length + 1; index += 1)
      expect(await from(rows, index)).toEqual(all.slice(index));
  }
});

test("counts the rows of any text as a reading of all does", async () => {
  await cache();
  const line = fc.constantFrom('{"n":1}', ' {"n":2}', '{"n":3}\r', "", " ", "\t\r");
  let file = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.boolean(), fc.boolean(), async (lines, mark, end) => {
      const text = `${mark ? "\uFEFF" : ""}${lines.join("\n")}${end ? "\n" : ""}`;
      const rows = jsonl(await written(`any-${(file += 1)}.jsonl`, text), { schema });
      const all = await Array.fromAsync(rows);
      for (let index = 1; index <= all.length; index += 1)
        expect(await from(rows, index)).toEqual(all.slice(index));
    }),
    { numRuns: 60 },
  );
});

test("names the line of an invalid row after the position", async () => {
  await cache();
  const path = await written("invalid.jsonl", `${linesOf(0, 2)}\n{"n":"x"}\n`);
  await expect(from(jsonl(path, { schema }), 1)).rejects.toThrow(`${path}:4 does not match`);
});

test("does not read the lines before an earlier position again, unless the file has changed", async () => {
  const folderOfIndex = join(await cache(), "envs/data/lines");
  const path = await written("long.jsonl", linesOf(0, 10_000));
  await utimes(path, 1, 1);
  const rows = jsonl(path, { schema });
  expect(await from(rows, 9998)).toEqual([{ n: 9998 }, { n: 9999 }]);
  await using file = await open(path, "r+");
  // Fewer rows, if they are counted again.
  await file.write(" ".repeat(50_000), 0);
  await utimes(path, 1, 1);
  expect(await from(rows, 9998)).toEqual([{ n: 9998 }, { n: 9999 }]);
  await utimes(path, 2, 2);
  expect(await from(rows, 9998)).toEqual([]);
  expect(await readdir(folderOfIndex)).toHaveLength(1);
});

test("reads all lines where the index is damaged or cannot be written", async () => {
  const caches = await cache();
  const path = await written("damaged.jsonl", linesOf(0, 2500));
  const rows = jsonl(path, { schema });
  expect(await from(rows, 2499)).toEqual([{ n: 2499 }]);
  const [name] = await readdir(join(caches, "envs/data/lines"));
  const index = join(caches, "envs/data/lines", name!);
  expect(JSON.parse(await readFile(index, "utf8"))).toMatchObject({
    starts: [
      [expect.any(Number), 1000],
      [expect.any(Number), 2000],
    ],
  });
  await writeFile(index, "{");
  expect(await from(rows, 2499)).toEqual([{ n: 2499 }]);
  vi.stubEnv("XDG_CACHE_HOME", path);
  expect(await from(rows, 2499)).toEqual([{ n: 2499 }]);
});

test("cannot start at a position of shuffled rows or of those that meet a condition", async () => {
  const path = await written("few.jsonl", linesOf(0, 2));
  expect(jsonl(path, { schema })).toHaveProperty("from");
  expect(jsonl(path, { schema, where: { n: 1 } })).not.toHaveProperty("from");
  expect(jsonl(path, { schema, shuffle: random(1) })).not.toHaveProperty("from");
});
