import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { assistantMessage, userMessage } from "@envs/core";
import { startBrowser } from "@envs/hub-server/testing/chromium";
import {
  chatModel,
  type Checkpoint,
  shapeFor,
  TinyModel,
  trainTokenizer,
  untrained,
  writeCheckpoint,
} from "@envs/tiny-model";
import { tinyBackend } from "@envs/trainer";
import type { Page as Tab } from "playwright-core";
import { type OutputChunk, rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";

import { trainOnSequence } from "./support/lesson.ts";
import type { Page } from "./support/page.ts";

const question = "Who are you?";
const answer = "I am a tiny language model, and I run in a browser.";

/** The global object of the browser, where `page.ts` defines `page`. */
type InPage = { readonly page: Page };

const closing: (() => Promise<unknown>)[] = [];
let chunks: readonly OutputChunk[] = [];
let checkpoint: Checkpoint;
let lesson: readonly number[] = [];
let tab: Tab;

async function bundle(): Promise<readonly OutputChunk[]> {
  const build = await rolldown({
    input: join(import.meta.dirname, "./support/page.ts"),
    platform: "browser",
    onLog: (_, { message }) => {
      throw new Error(`The bundler reported: ${message}`);
    },
  });
  const { output } = await build.generate({ format: "esm" });
  return output.filter((item) => item.type === "chunk");
}

/** Serves files by URL path. Returns the address of the server. */
async function serve(files: ReadonlyMap<string, string | Uint8Array>): Promise<string> {
  const server = createServer(({ url = "/" }, response) => {
    const file = files.get(url);
    const type = url.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(file === undefined ? 404 : 200, { "content-type": type }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

beforeAll(async () => {
  const tokenizer = trainTokenizer([question, answer], { vocabularySize: 64 });
  const shape = shapeFor(tokenizer, { width: 32, layers: 2, heads: 2, hidden: 64, context: 96 });
  const model = await TinyModel.start("small", untrained(shape, tokenizer, 1));
  const { renderer } = model;
  lesson = [
    ...renderer.prompt([userMessage(question)]),
    ...renderer.reply(assistantMessage(answer)),
  ];
  await trainOnSequence(tinyBackend(model), lesson, 40);
  checkpoint = await model.checkpoint();

  chunks = await bundle();
  const entry = chunks.find(({ isEntry }) => isEntry)!;
  const address = await serve(
    new Map<string, string | Uint8Array>([
      ["/", `<!doctype html><script type="module" src="${entry.fileName}"></script>`],
      ["/model.safetensors", writeCheckpoint(checkpoint)],
      ...chunks.map(({ fileName, code }): [string, string] => [`/${fileName}`, code]),
    ]),
  );
  const browser = await startBrowser();
  closing.push(() => browser.close());
  tab = await browser.newPage();
  const problems: string[] = [];
  tab.on("pageerror", ({ message }) => problems.push(message));
  await tab.goto(address);
  await tab
    .waitForFunction(() => "page" in globalThis, undefined, { timeout: 120_000 })
    .catch(() => {
      throw new Error(`The page did not start: ${problems.join("; ")}`);
    });
});

afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

test("bundles the trainer for browsers without modules of Node", () => {
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  const names = new Set(chunks.map(({ fileName }) => fileName));
  expect(modules.some((id) => id.endsWith("tiny-model/src/replica/thread.browser.ts"))).toBe(true);
  expect(modules.some((id) => id.endsWith("trainer/src/files.browser.ts"))).toBe(true);
  expect(modules.filter((id) => /thread\.node|trainer\/src\/files\.ts/u.test(id))).toEqual([]);
  for (const { code, imports, dynamicImports } of chunks) {
    expect(code).not.toMatch(/["']node:/u);
    for (const name of [...imports, ...dynamicImports]) expect(names).toContain(name);
  }
});

test("returns the same replies in a page as in Node for the same seeds", async () => {
  const model = chatModel(await TinyModel.start("node", checkpoint));
  const { signal } = new AbortController();
  const replies = new Set<string>();
  for (const [temperature, seed] of [
    [0, 1],
    [1, 1],
    [1.5, 2],
    [1.5, 3],
  ] as const) {
    const messages = [userMessage(question)];
    const { message } = await model({ messages, signal, seed, sampling: { temperature } });
    const reply = await tab.evaluate(
      ([text, heat, start]) => (globalThis as unknown as InPage).page.reply(text, heat, start),
      [question, temperature, seed] as const,
    );
    expect(reply).toBe(message.content);
    replies.add(reply);
  }
  expect(replies).toContain(answer);
  expect(replies.size).toBeGreaterThan(1);
});

test("reaches the same losses in a page as in Node", async () => {
  const model = await TinyModel.start("node", checkpoint);
  const expected = await trainOnSequence(tinyBackend(model), lesson, 5);
  const { losses, bytes } = await tab.evaluate(
    ([ids, steps]) => (globalThis as unknown as InPage).page.learn(ids, steps),
    [lesson, 5] as const,
  );
  for (const [step, loss] of expected.entries()) expect(losses[step]).toBeCloseTo(loss, 4);
  expect(bytes).toHaveLength(writeCheckpoint(await model.checkpoint()).length);
});

test("rejects files and threads in a page with an explanation", async () => {
  const errors = await tab.evaluate(() =>
    (globalThis as unknown as InPage).page.unsupportedErrors(),
  );
  expect(errors).toEqual([
    expect.stringMatching(/^ConfigError: Browsers cannot access the file model.safetensors/),
    expect.stringMatching(/^ConfigError: Browsers cannot access the file model.safetensors/),
    expect.stringMatching(/^ConfigError: Several threads need SharedArrayBuffer/),
  ]);
});
