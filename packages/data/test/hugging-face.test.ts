import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { huggingFace, jsonl } from "@envs/data";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";

import { commitOf, hubServer, type Revisions } from "./hub-server.ts";
import {
  counted,
  datasets,
  files,
  lines,
  name,
  read,
  schema,
  startHub,
  useEmptyCache,
} from "./sums-dataset.ts";

const cache = useEmptyCache();

describe("huggingFace()", () => {
  test("reads the files that the README declares for a split, in order", async () => {
    await startHub({ pageSize: 2 });
    expect(await read("test")).toEqual(counted("test", 3));
    expect(await read("train")).toEqual([...counted("train", 100), ...counted("more", 100)]);
    expect(await read("test", "hard")).toEqual(counted("hard", 2));
  });

  test("does not send a request before the first row, nor for files of which no row was read", async () => {
    const hub = await startHub();
    const { train } = huggingFace(name, { split: { train: "train" }, config: "main", schema });
    expect(hub.requests).toEqual([]);
    for await (const { question } of train) {
      expect(question).toBe("train 0");
      break;
    }
    expect(hub.storage.map(({ path }) => path)).toEqual([
      `/${name}@${commitOf(name, "main")}/main/train-00000-of-00002.jsonl`,
    ]);
  });

  test("downloads a file once for concurrent readers", async () => {
    const hub = await startHub();
    await Promise.all([read("train"), read("train"), read("train")]);
    expect(hub.storage).toHaveLength(2);
  });

  test("keeps files in the layout of Python's cache", async () => {
    await startHub();
    await read("test");
    const root = join(cache(), "datasets--envs--sums");
    const commit = commitOf(name, "main");
    expect(await readFile(join(root, "refs/main"), "utf8")).toBe(commit);
    expect(
      await readFile(join(root, "snapshots", commit, "main/test-00000-of-00001.jsonl"), "utf8"),
    ).toBe(lines("test", 3));
    expect((await readdir(join(root, "blobs"))).every((blob) => /^[0-9a-f]{40}$/.test(blob))).toBe(
      true,
    );
  });
});

test("sends a token to the hub and not to the storage that it redirects to", async () => {
  const hub = await startHub({ token: "hf_secret" });
  vi.stubEnv("HF_TOKEN", "hf_secret");
  expect(await read("train")).toHaveLength(200);
  expect(hub.requests.every(({ token }) => token === "Bearer hf_secret")).toBe(true);
  expect(hub.storage.map(({ token }) => token)).toEqual([undefined, undefined]);
});

describe("without a connection, huggingFace()", () => {
  test.each(["HF_HUB_OFFLINE", "an endpoint that does not respond"])(
    "reads the cache: %s",
    async (how) => {
      const hub = await hubServer({ datasets });
      vi.stubEnv("HF_ENDPOINT", hub.url);
      await read("train");
      await hub[Symbol.asyncDispose]();
      if (how === "HF_HUB_OFFLINE") vi.stubEnv("HF_HUB_OFFLINE", "1");
      else vi.stubEnv("HF_ENDPOINT", `${hub.url}/`.replace("localhost", "127.0.0.1"));
      expect(await read("train")).toHaveLength(200);
    },
  );

  test("reads what Python downloaded, and refuses a split that lacks a file", async () => {
    await startHub();
    await read("train");
    const root = join(cache(), "datasets--envs--sums");
    await rm(join(root, ".envs"), { recursive: true });
    vi.stubEnv("HF_HUB_OFFLINE", "1");
    expect(await read("train")).toHaveLength(200);
    await rm(join(root, "snapshots", commitOf(name, "main"), "main/train-00001-of-00002.jsonl"));
    // Another setting: the repository is opened again.
    vi.stubEnv("HF_HUB_DOWNLOAD_TIMEOUT", "0.4");
    await expect(read("train")).rejects.toThrow(
      /1 files? of the split "train" of envs\/sums in the config "main" .* not on this machine/,
    );
  });

  test("explains how to read a copy, and reads it", async () => {
    vi.stubEnv("HF_HUB_OFFLINE", "1");
    await expect(read("test")).rejects.toThrow(
      /HF_HUB_OFFLINE is set.*\n.*hf download envs\/sums --repo-type dataset --local-dir datasets\/envs\/sums.*ENVS_DATASETS=datasets.*folder/,
    );
    const folder = join(cache(), "copies/envs/sums");
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(folder, path, ".."), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const options = { split: "test", config: "hard", schema };
    expect(await Array.fromAsync(huggingFace(name, { ...options, folder }))).toHaveLength(2);
    vi.stubEnv("ENVS_DATASETS", join(cache(), "copies"));
    expect(await Array.fromAsync(huggingFace(name, options))).toHaveLength(2);
    const file = "hf://datasets/envs/sums/hard/test.jsonl";
    expect(await Array.fromAsync(jsonl(file, { schema }))).toHaveLength(2);
  });

  test("names the endpoint if nothing is cached", async () => {
    // The port of a closed server, on which no process listens.
    const hub = await hubServer({ datasets });
    await hub[Symbol.asyncDispose]();
    vi.stubEnv("HF_ENDPOINT", hub.url);
    await expect(read("test")).rejects.toThrow(
      `Cannot reach ${hub.url} for the dataset envs/sums: `,
    );
  });
});

describe("a download", () => {
  const damaged = { kind: "damage" } as const;

  test("is repeated once if its checksum is wrong, then refused", async () => {
    const hub = await startHub();
    await read("test");
    hub.faults.push(damaged);
    expect(await read("train")).toHaveLength(200);
    await rm(cache(), { recursive: true });
    hub.faults.push(damaged, damaged);
    await expect(read("train")).rejects.toThrow(
      /README.md was downloaded twice with the git blob id [0-9a-f]+ instead of/,
    );
  });

  test("publishes its progress", async () => {
    await startHub();
    const messages: unknown[] = [];
    const listen = (message: unknown) => messages.push(message);
    subscribe("envs.download", listen);
    onTestFinished(() => void unsubscribe("envs.download", listen));
    await read("test");
    const size = Buffer.byteLength(lines("test", 3));
    expect(messages.at(-1)).toEqual({
      name: "envs/sums/main/test-00000-of-00001.jsonl",
      received: size,
      size,
      isDone: true,
    });
  });
});

test.each(["../../escaped.jsonl", "/tmp/escaped.jsonl", "data/../../../train.jsonl"])(
  "refuses the path %s, which leads out of the cache",
  async (path) => {
    await startHub({ datasets: { [name]: { main: { [path]: lines("a", 1) } } } });
    await expect(read("train")).rejects.toThrow(
      `The hub returned ${JSON.stringify(path)} for the dataset envs/sums, which is neither a commit nor a path.`,
    );
  },
);

describe("the error of huggingFace()", () => {
  test("lists the configs and splits that exist", async () => {
    await startHub();
    await expect(read("test", "medium")).rejects.toThrow(
      'The dataset envs/sums has no config "medium". Its configs: main, hard.',
    );
    await expect(read("dev")).rejects.toThrow(
      'has no split "dev" in the config "main". Its splits: train, test.',
    );
    await expect(read("train[:10]")).rejects.toThrow("use take() and filter()");
    const rows = huggingFace(name, { split: "test", schema });
    await expect(Array.fromAsync(rows)).rejects.toThrow(
      "several configs. Pass `config`: main, hard.",
    );
  });

  test("names what is missing", async () => {
    await startHub();
    await expect(read("test", "main", "v2")).rejects.toThrow(
      'The dataset envs/sums has no revision "v2"',
    );
    const rows = (dataset: string) =>
      Array.fromAsync(huggingFace(dataset, { split: "test", schema }));
    await expect(rows("envs/nothing")).rejects.toThrow(
      /refuses the dataset envs\/nothing without a token/,
    );
    vi.stubEnv("HF_TOKEN", "hf_any");
    await expect(rows("envs/nothing")).rejects.toThrow(
      /The dataset envs\/nothing does not exist on http/,
    );
    expect(() => huggingFace("a/b/c", { split: "test", schema })).toThrow(
      "is not the name of a dataset",
    );
  });

  test.each([undefined, "hf_other"])(
    "explains how to get access to a gated dataset, with the token %s",
    async (token) => {
      const hub = await startHub({ token: "hf_secret" });
      vi.stubEnv("HF_TOKEN", token ?? "");
      await expect(read("test")).rejects.toThrow(
        `is gated (status ${token ? 403 : 401}: refused). Open ${hub.url}/datasets/envs/sums, accept its conditions, then set HF_TOKEN`,
      );
    },
  );

  test("names the row's file and line", async () => {
    await startHub();
    const strict = z.object({ question: z.string(), answer: z.number() });
    await expect(
      Array.fromAsync(huggingFace(name, { split: "test", config: "main", schema: strict })),
    ).rejects.toThrow("envs/sums/main/test-00000-of-00001.jsonl:1 does not match the schema");
  });
});

describe("a dataset without a README that declares files", () => {
  const splitsOf = async (revisions: Revisions, config?: string) => {
    await startHub({ datasets: { [name]: revisions } });
    const names: Record<string, number> = {};
    for (const split of ["train", "validation", "test", "easy"]) {
      const rows = huggingFace(name, { split, config, schema });
      const count = await Array.fromAsync(rows).then(
        (all) => all.length,
        () => undefined,
      );
      if (count !== undefined) names[split] = count;
    }
    return names;
  };

  test("has the splits in the names of its files and folders", async () => {
    expect(await splitsOf({ main: { "data/easy-00000-of-00001.jsonl": lines("a", 2) } })).toEqual({
      easy: 2,
    });
    expect(
      await splitsOf({
        main: {
          "train.jsonl": lines("a", 2),
          "my-dev.jsonl": lines("b", 1),
          "dataset_infos.json": "{}",
        },
      }),
    ).toEqual({ train: 2, validation: 1 });
    expect(
      await splitsOf({
        main: { "test/a.jsonl": lines("a", 2), "training/b.jsonl": lines("b", 1) },
      }),
    ).toEqual({ test: 2, train: 1 });
    expect(
      await splitsOf({ main: { "all.jsonl": lines("a", 4), "all.csv": "question,answer\n" } }),
    ).toEqual({ train: 4 });
    expect(
      await splitsOf(
        { main: { "en/test.jsonl": lines("a", 1), "de/test.jsonl": lines("b", 2) } },
        "de",
      ),
    ).toEqual({ test: 2 });
  });

  test("is read from the hub's Parquet copy if it has only a script", async () => {
    const parquet = await readFile(join(import.meta.dirname, "fixtures/zstd.parquet"));
    await startHub({
      datasets: {
        [name]: {
          main: { "sums.py": "import datasets", "README.md": "# Sums" },
          "refs/convert/parquet": {
            "default/train/0000.parquet": parquet,
            "default/partial-test/0000.parquet": parquet,
          },
        },
      },
    });
    const options = { split: "train", schema: z.object({ id: z.number() }) };
    expect(await Array.fromAsync(huggingFace(name, options))).toHaveLength(12);
    await expect(Array.fromAsync(huggingFace(name, { ...options, split: "test" }))).rejects.toThrow(
      "Its splits: train, partial-test.",
    );
  });
});
