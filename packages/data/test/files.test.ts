import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync, zstdCompressSync } from "node:zlib";

import { dataset, evaluate, policy, random } from "@envs/core";
import { csv, imageColumn, jsonl, parquet } from "@envs/data";
import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { beforeAll, afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";

import { pictures } from "./pictures.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const values = join(fixtures, "values.parquet");
const schema = z.object({ n: z.number() });
const all = <Row>(rows: AsyncIterable<Row>) => Array.fromAsync(rows);
const numbers = async (rows: AsyncIterable<{ n: number }>) => (await all(rows)).map(({ n }) => n);
const range = (count: number) => Array.from({ length: count }, (_, n) => n);
const linesOf = (rows: readonly unknown[]) =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join("");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "envs-data-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function written(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe("a dataset of files", () => {
  test("reads several files in order, and again in each iteration", async () => {
    const paths = [
      await written("a.jsonl", linesOf(range(3).map((n) => ({ n })))),
      await written("b.jsonl.gz", gzipSync(linesOf([{ n: 3 }, { n: 4 }]))),
    ];
    const rows = jsonl([paths[0]!, pathToFileURL(paths[1]!)], { schema });
    expect(await numbers(rows)).toEqual(range(5));
    expect(await numbers(rows)).toEqual(range(5));
  });

  test.each([
    ["gz", gzipSync],
    ["zst", zstdCompressSync],
  ] as const)(
    "reads all parts of a concatenated .%s file, and refuses a torn one",
    async (extension, compress) => {
      const parts = range(4).map((part) =>
        compress(linesOf(range(5_000).map((n) => ({ n: part * 5_000 + n })))),
      );
      const whole = Buffer.concat(parts);
      const rows = jsonl(await written(`parts.jsonl.${extension}`, whole), { schema });
      expect(await numbers(rows)).toEqual(range(20_000));
      const torn = await written(`torn.jsonl.${extension}`, whole.subarray(0, -20));
      await expect(all(jsonl(torn, { schema }))).rejects.toThrow(`Cannot read ${torn}: `);
      expect(await all(dataset.take(rows, 1))).toEqual([{ n: 0 }]);
    },
  );

  test("composes with the helpers of core", async () => {
    const path = await written("c.jsonl", linesOf(range(9).map((n) => ({ n }))));
    const even = dataset.filter(jsonl(path, { schema }), ({ n }) => n % 2 === 0);
    expect(
      await all(
        dataset.take(
          dataset.map(even, ({ n }) => n * 10),
          3,
        ),
      ),
    ).toEqual([0, 20, 40]);
  });

  test("renames columns before the schema changes them", async () => {
    const path = await written("d.csv", "question,answer\nHow many?,4\n");
    const rows = csv(path, {
      columns: { prompt: "question" },
      schema: z.object({ prompt: z.string(), answer: z.coerce.number() }),
    });
    expect(await all(rows)).toEqual([{ prompt: "How many?", answer: 4 }]);
  });

  test("accepts files that end in the middle of a chunk, have a byte order mark, or lack a header", async () => {
    const json = await written("e.jsonl", `\uFEFF{"n":1}\r\n\n{"n":2}`);
    expect(await numbers(jsonl(json, { schema }))).toEqual([1, 2]);
    const text = await written("e.tsv", `1\t"a\n""b"""\n2\t5" disk\n3\t\n`);
    const columns = z.object({ id: z.string(), text: z.string() });
    expect(await all(csv(text, { header: ["id", "text"], schema: columns }))).toEqual([
      { id: "1", text: 'a\n"b"' },
      { id: "2", text: '5" disk' },
      { id: "3", text: "" },
    ]);
  });

  test("makes images content parts, whose bytes are a data: URL", async () => {
    const rows = parquet(join(fixtures, "datasets.parquet"), {
      schema: z.object({ image: imageColumn, label: z.number() }),
    });
    const [first] = await all(rows);
    expect(first).toEqual({
      image: {
        type: "image_url",
        image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) as string },
      },
      label: 0,
    });
  });
});

test("an environment plays rows with images", async () => {
  const { reward, rollouts } = await evaluate(pictures(), { model: policy("gold"), examples: 2 });
  expect(reward.mean).toBe(1);
  expect(rollouts[0]!.example.prompt[0]).toMatchObject({
    content: [{ type: "image_url" }, { type: "text" }],
  });
});

describe("where", () => {
  const ids = async (where: Parameters<typeof parquet>[1]["where"]) =>
    (await all(parquet(values, { schema: z.object({ id: z.number() }), where }))).map(
      ({ id }) => id,
    );

  test("keeps the rows of a Parquet file that meet all conditions, also on columns that are not read", async () => {
    expect(await ids({ id: { $gte: 3, $lt: 6 } })).toEqual([3, 4, 5]);
    expect(await ids({ category: "c1", id: { $ne: 4 } })).toEqual([1, 7, 10]);
    expect(await ids({ price: { $gt: 0.4 }, flag: { $nin: [null] } })).toEqual([9, 10]);
    expect(await ids({ text: null })).toEqual([2, 6, 10]);
    expect(await ids({ big: { $in: [2n ** 62n + 3n, 4] } })).toEqual([3, 4]);
    expect(await ids({ unsigned: { $gt: 2n ** 63n + 6n } })).toEqual([7, 9, 11]);
    expect(await ids({ day: { $lt: "1965-01-01" } })).toEqual([0, 1]);
    expect(await ids({ id: 100 })).toEqual([]);
  });

  test("compares the numbers of a CSV file", async () => {
    const path = await written("w.csv", "n\n9\n10\n\n");
    const where = { n: { $gt: 9 } };
    expect(await numbers(csv(path, { schema: z.object({ n: z.coerce.number() }), where }))).toEqual(
      [10],
    );
  });

  test("selects the same rows as dataset.filter() for any conditions", async () => {
    const row = z.object({
      id: z.number(),
      small: z.number().nullable(),
      double: z.number().nullable(),
    });
    const rows = await all(parquet(values, { schema: row }));
    const value = fc.constantFrom(-3, 0, 1, 2.5, 5, 11, 4 / 3);
    const holds = {
      $eq: (a: number, b: number) => a === b,
      $gt: (a: number, b: number) => a > b,
      $gte: (a: number, b: number) => a >= b,
      $lt: (a: number, b: number) => a < b,
      $lte: (a: number, b: number) => a <= b,
    };
    const operator = fc.constantFrom(...(Object.keys(holds) as (keyof typeof holds)[]));
    const column = fc.constantFrom("id" as const, "small" as const, "double" as const);
    await fc.assert(
      fc.asyncProperty(column, operator, value, async (name, $, bound) => {
        const found = await all(
          parquet(values, { schema: row, where: { [name]: { [$]: bound } } }),
        );
        expect(found).toEqual(
          rows.filter((each) => each[name] !== null && holds[$](each[name], bound)),
        );
      }),
      { numRuns: 40 },
    );
  });

  test("refuses an unknown operator", () => {
    expect(() => parquet(values, { schema, where: { id: { $like: 1 } as object } })).toThrow(
      'The condition on the column "id" has the unknown operator "$like". The operators are $eq, $ne',
    );
  });
});

describe("shuffle", () => {
  test.each(["jsonl", "jsonl.gz", "csv", "parquet"])(
    "yields each row of %s once, in an order of the seed",
    async (kind) => {
      const count = 12;
      const content: Record<string, () => string | Uint8Array> = {
        jsonl: () => linesOf(range(count).map((n) => ({ n }))),
        "jsonl.gz": () => gzipSync(linesOf(range(count).map((n) => ({ n })))),
        csv: () => `n\n${range(count).join("\n")}\n`,
      };
      const path = kind === "parquet" ? values : await written(`s.${kind}`, content[kind]!());
      const read = async (seed: number) => {
        const options = { schema: z.object({ n: z.coerce.number() }), shuffle: random(seed) };
        if (kind === "csv") return numbers(csv(path, options));
        if (kind === "parquet") return numbers(parquet(path, { ...options, columns: { n: "id" } }));
        return numbers(jsonl(path, options));
      };
      const first = await read(1);
      expect(first).not.toEqual(range(count));
      expect(first.toSorted((a, b) => a - b)).toEqual(range(count));
      expect(await read(1)).toEqual(first);
      expect(await read(2)).not.toEqual(first);
    },
  );

  test("does not read the other row groups of a Parquet file for its first rows", async () => {
    // The bytes of the other row groups are damaged, so that reading them would fail.
    const bytes = await readFile(values);
    const { row_groups: groups } = parquetMetadata(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    );
    for (const group of groups.slice(1))
      for (const { meta_data: data } of group.columns) {
        const start = Number(data!.dictionary_page_offset ?? data!.data_page_offset);
        bytes.fill(0xff, start, start + Number(data!.total_compressed_size));
      }
    const path = await written("damaged.parquet", bytes);
    const rows = parquet(path, { schema: z.object({ double: z.number().nullable() }) });
    expect(await all(dataset.take(rows, 4))).toHaveLength(4);
    await expect(all(rows)).rejects.toThrow(`Cannot read ${path}: `);
  });
});

describe("the error for a row names its position", () => {
  test("in JSONL: the line", async () => {
    const path = await written("x.jsonl", '{"n":1}\n\n{"n":"2"}\n{"n"');
    await expect(all(jsonl(path, { schema }))).rejects.toThrow(
      `${path}:3 does not match the schema:\n✖ Invalid input: expected number, received string\n  → at n\nThe row has: n.`,
    );
    await expect(all(jsonl(path, { schema: z.looseObject({}) }))).rejects.toThrow(
      `${path}:4 is not JSON: `,
    );
    const list = await written("y.json", "[{}, 3]");
    await expect(all(jsonl(list, { schema: z.looseObject({}) }))).rejects.toThrow(
      `${list}[1] is not a JSON object: 3.`,
    );
  });

  test("in CSV: the line", async () => {
    const path = await written("x.csv", 'n\n1\n"a\nb"\n');
    const coerced = z.object({ n: z.coerce.number() });
    await expect(all(csv(path, { schema: coerced }))).rejects.toThrow(
      `${path}, the row that ends on line 4 does not match`,
    );
    const ragged = await written("r.csv", "n,m\n1,2\n3\n");
    await expect(all(csv(ragged, { schema: coerced }))).rejects.toThrow(
      /r.csv is not CSV: Invalid Record Length: columns length is 2, got 1 on line 3/,
    );
    const twice = await written("t.csv", "n,n\n1,2\n");
    await expect(all(csv(twice, { schema: coerced }))).rejects.toThrow('has the column "n" twice');
  });

  test("in Parquet: the row and its row group", async () => {
    const rows = parquet(values, { schema: z.object({ small: z.number() }) });
    await expect(all(rows)).rejects.toThrow(
      `${values}, row 2 (row group 0) does not match the schema`,
    );
    const last = parquet(values, { schema: z.object({ id: z.number().max(10) }) });
    await expect(all(last)).rejects.toThrow(
      `${values}, row 11 (row group 2) does not match the schema`,
    );
    const renamed = parquet(values, {
      schema: z.object({ prompt: z.string() }),
      columns: { prompt: "Text" },
    });
    await expect(all(renamed)).rejects.toThrow(/at prompt\nThe row has: .*\bid\b.*\btext\b/);
  });

  test("names a file that is absent, empty or in another format", async () => {
    const absent = join(folder, "absent.jsonl");
    await expect(all(jsonl(absent, { schema }))).rejects.toThrow(`Cannot read ${absent}: ENOENT`);
    await expect(all(parquet(absent, { schema }))).rejects.toThrow(`Cannot read ${absent}: ENOENT`);
    const text = await written("text.parquet", linesOf([{ n: 1 }]));
    await expect(all(parquet(text, { schema }))).rejects.toThrow(
      /Cannot read .*text.parquet: parquet file invalid/,
    );
    const torn = await written(
      "torn.jsonl.gz",
      gzipSync(linesOf(range(99).map((n) => ({ n })))).subarray(0, 60),
    );
    await expect(all(jsonl(torn, { schema }))).rejects.toThrow(
      /Cannot read .*torn.jsonl.gz: unexpected end of file/,
    );
    expect(await all(jsonl(await written("empty.jsonl", ""), { schema }))).toEqual([]);
    await expect(all(jsonl([], { schema }))).rejects.toThrow("The list of files is empty");
  });
});

describe("a URL", () => {
  async function start(answer: (request: IncomingMessage, response: ServerResponse) => void) {
    vi.stubEnv("XDG_CACHE_HOME", await mkdtemp(join(folder, "cache-")));
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
    onTestFinished(() => void close());
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rows.jsonl?signature=secret`,
      close,
    };
  }

  test("is downloaded once per version, and read from this machine if its server is offline", async () => {
    let version = 1;
    let bodies = 0;
    const { url, close } = await start((request, response) => {
      const bytes = Buffer.from(linesOf([{ n: version }]));
      const isProbe = request.headers.range === "bytes=0-0";
      if (!isProbe) bodies += 1;
      response.writeHead(isProbe ? 206 : 200, {
        etag: `"${version}"`,
        "content-range": `bytes 0-0/${bytes.length}`,
      });
      response.end(isProbe ? bytes.subarray(0, 1) : bytes);
    });
    const rows = jsonl(url, { schema });
    expect([await numbers(rows), await numbers(rows), bodies]).toEqual([[1], [1], 1]);
    version = 2;
    expect([await numbers(rows), bodies]).toEqual([[2], 2]);
    await close();
    expect(await numbers(rows)).toEqual([2]);
  });

  test("is named without its query if it cannot be downloaded", async () => {
    const { url } = await start((_, response) => response.writeHead(404).end("gone"));
    await expect(all(jsonl(url, { schema }))).rejects.toThrow(
      /^Cannot download http:\/\/127.0.0.1:\d+\/rows.jsonl: status 404: gone. Check the URL/,
    );
  });
});
