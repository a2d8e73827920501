import { createHash } from "node:crypto";
import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  audioPart,
  defineEnvironment,
  evaluate,
  filePart,
  imagePart,
  type Rollout,
  userMessage,
} from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { exampleHash, type Metadata, parseRow } from "@envs/records";
import { createRun, readChats, readRun, reopenRun } from "@envs/records/node";
import { describe, expect, onTestFinished, test } from "vitest";

import { jpeg, pdf, plain, png, wav } from "../../../core/test/media-bytes.ts";

const metadata: Metadata = {
  schema_version: 1,
  env_id: "shapes",
  env_args: {},
  model: "scripted",
  num_examples: 1,
  rollouts_per_example: 3,
  sampling_args: {},
  pass_threshold: 0.5,
};

const parts = [
  { type: "text", text: "Look." } as const,
  imagePart(png),
  imagePart("https://example.com/cat.png"),
  audioPart(wav),
  filePart("a.pdf", pdf),
  filePart("b.sh", plain, "application/x-sh"),
];
const shapes = defineEnvironment({
  name: "shapes",
  media: { kinds: ["image", "audio", "file"] },
  dataset: () => [
    { prompt: [userMessage(parts)], target: imagePart(jpeg).image_url.url, clip: audioPart(wav) },
  ],
  rubric: { one: () => 1 },
});

async function played(rolloutsPerExample = 3): Promise<readonly Rollout[]> {
  const model = scriptedModel("ok", "ok", "ok");
  return (await evaluate(shapes(), { model, rolloutsPerExample })).rollouts;
}

async function writeRun(rollouts: readonly Rollout[]): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "envs-media-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  const run = await createRun(path, metadata);
  for (const rollout of rollouts) await run.append(rollout);
  await run.close();
  return path;
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const pngFile = `media/${hashOf(png)}.png`;

describe("a run with images, audio and files", () => {
  test("keeps each of them once, in a file named by its hash, and reads them back", async () => {
    const rollouts = await played();
    const path = await writeRun(rollouts);
    expect((await readdir(join(path, "media"))).toSorted()).toEqual(
      [
        `${hashOf(png)}.png`,
        `${hashOf(jpeg)}.jpg`,
        `${hashOf(wav)}.wav`,
        `${hashOf(pdf)}.pdf`,
        `${hashOf(plain)}.bin`,
      ].toSorted(),
    );
    expect(await readFile(join(path, pngFile))).toEqual(Buffer.from(png));
    const rows = await readFile(join(path, "results.jsonl"), "utf8");
    expect(rows).not.toContain("base64");
    expect(rows).toContain(`{"url":"${pngFile}"}`);
    expect(rows).toContain(`?type=application/x-sh`);

    const { rollouts: read, problems } = await readRun(path);
    expect(problems).toEqual([]);
    expect(read.map(({ example, prompt }) => ({ example, prompt }))).toEqual(
      rollouts.map(({ example, prompt }) => ({ example, prompt })),
    );
    expect(exampleHash(read[0]!.example)).toBe(exampleHash(rollouts[0]!.example));
  });

  test("is read without the bytes on request, also if a file is missing", async () => {
    const path = await writeRun(await played(1));
    await rm(join(path, "media"), { recursive: true });
    const { rollouts } = await readRun(path, { withMedia: false });
    expect(rollouts[0]!.prompt[0]!.content).toContainEqual({
      type: "image_url",
      image_url: { url: pngFile },
    });
  });

  test.each([
    ["missing", (path: string) => rm(path), `cannot read ${pngFile}, to which the record refers`],
    ["cut", (path: string) => truncate(path, 5), `${pngFile} is damaged`],
    ["changed", (path: string) => writeFile(path, jpeg), `${pngFile} is damaged`],
  ])("has a problem in each rollout whose file is %s", async (_, damage, problem) => {
    const path = await writeRun(await played(2));
    await damage(join(path, pngFile));
    const { rollouts, problems } = await readRun(path);
    expect(rollouts).toEqual([]);
    expect(problems.map(({ line }) => line)).toEqual([1, 2]);
    expect(problems[0]!.problem).toContain(problem);
  });

  test("is resumed: rollouts with a damaged file are played again, which repairs the file", async () => {
    const rollouts = await played(2);
    const path = await writeRun(rollouts);
    await writeFile(join(path, pngFile), jpeg);
    const run = await reopenRun(path);
    expect(rollouts.filter((key) => run.has(key))).toEqual([]);
    for (const rollout of rollouts) await run.append(rollout);
    await run.close();
    expect((await readRun(path)).rollouts).toHaveLength(2);
  });

  test("keeps its references when it is resumed", async () => {
    const path = await writeRun(await played(2));
    const before = await readFile(join(path, "results.jsonl"), "utf8");
    const run = await reopenRun(path, { select: (all) => all.slice(0, 1) });
    await run.close();
    const after = await readFile(join(path, "results.jsonl"), "utf8");
    expect(before.startsWith(after)).toBe(true);
    expect(await readFile(join(path, "removed.jsonl"), "utf8")).toContain(pngFile);
  });

  test("writes every file of a row before the row", async () => {
    const [rollout] = await played(1);
    const path = await writeRun([]);
    const run = await createRun(join(path, "run"), metadata);
    await writeFile(join(path, "run/media"), "A file where the folder must be.");
    await expect(run.append(rollout!)).rejects.toThrow("Cannot create the folder");
    await run.close();
    expect((await stat(join(path, "run/results.jsonl"))).size).toBe(0);
  });

  test("has no folder for media if all messages are text", async () => {
    const environment = defineEnvironment({
      name: "words",
      dataset: () => [{ prompt: "media/not-a-reference.png" }],
      rubric: { one: () => 1 },
    });
    const { rollouts } = await evaluate(environment(), { model: scriptedModel("data:,x") });
    const path = await writeRun(rollouts);
    expect((await readdir(path)).toSorted()).toEqual(["metadata.json", "results.jsonl"]);
    expect((await readRun(path)).rollouts[0]!.prompt).toEqual(rollouts[0]!.prompt);
  });
});

test("readChats() returns the bytes, from the folder and from the file", async () => {
  const path = await writeRun(await played(1));
  for (const source of [path, join(path, "results.jsonl")]) {
    const [chat] = await Array.fromAsync(readChats(source));
    expect(chat!.messages[0]!.content).toEqual(parts);
  }
});

test("a stored message with parts of an unknown form becomes text", async () => {
  const prompt = [
    {
      role: "user",
      content: [
        { type: "text", text: "See " },
        { type: "image_url", image_url: 7 },
      ],
    },
    { role: "system", content: [{ type: "text", text: "Be brief." }] },
  ];
  const read = parseRow(JSON.stringify({ example_id: 0, prompt, completion: [], reward: 1 }));
  expect(read).toMatchObject({
    prompt: [{ content: "See [image_url]" }, { content: "Be brief." }],
  });
});

test("readRun() reports a row with a reference that leaves the folder as any other text", async () => {
  const path = await writeRun([]);
  const url = "media/../metadata.json";
  const prompt = [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }];
  await appendFile(
    join(path, "results.jsonl"),
    `${JSON.stringify({ example_id: 0, prompt, completion: [], reward: 1 })}\n`,
  );
  expect((await readRun(path)).rollouts[0]!.prompt).toEqual(prompt);
});
