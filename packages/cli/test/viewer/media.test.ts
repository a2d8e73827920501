import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Message } from "@envs/core";
import { expect, test } from "vitest";

import { bodyLines } from "../../src/conversation/message.ts";
import { openNextMedia } from "../../src/viewer/open-media.ts";
import { press } from "../../src/viewer/press.ts";
import { rolloutLines } from "../../src/viewer/rollout.ts";
import { startState } from "../../src/viewer/state.ts";
import { temporaryFolder } from "../command.ts";
import { pixel } from "../fixtures/picture.ts";
import { playedRollout, viewedRun } from "./run.ts";

const hash = "a".repeat(64);
const reference = `media/${hash}.png`;
const imageOf = (url: string): Message => ({
  role: "user",
  content: [
    { type: "text", text: "Which color?" },
    { type: "image_url", image_url: { url } },
  ],
});

async function runFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "media"));
  await writeFile(join(folder, reference), pixel);
  return folder;
}

test("an image is one line with its name, type, size and pixels", async () => {
  const layout = { columns: 80, isWhole: true, folder: await runFolder() };
  expect(bodyLines(imageOf(reference), layout)).toEqual([
    "  Which color?",
    "  [image: aaaaaaaa….png, image/png, 70 bytes, 1 × 1]",
  ]);
  expect(bodyLines(imageOf(reference), { ...layout, folder: "/nowhere" })[1]).toContain("missing");
  expect(bodyLines(imageOf("https://example.com/a.png"), layout)[1]).toBe(
    "  [image: https://example.com/a.png]",
  );
});

test("a key opens the images of the rollout on the screen, one after another", async () => {
  const path = await runFolder();
  const link = "https://example.com/a.png";
  const run = { ...viewedRun([playedRollout(0, 1, [imageOf(reference), imageOf(link)])]), path };
  const extent = { height: 20, lines: 20 };
  const opened: string[] = [];
  let state = startState(run, {});
  for (const name of ["o", "return", "o", "o", "o"]) {
    state = press(state, { name }, extent)!;
    if (state.isOpening === true) state = openNextMedia(state, (file) => void opened.push(file));
  }
  expect(opened).toEqual([join(path, reference), link, join(path, reference)]);
  expect(state.notice).toContain("Opened 1 of 2");
});

test("a rollout shows its tools, its judge, its attempts and the feedback of its scores", () => {
  const rollout = {
    ...playedRollout(0, 1),
    feedback: { right: "It names the city." },
    tools: { search: { calls: 2, errors: 1, seconds: 0.5 } },
    judgeUsage: {
      mini: { calls: 1, cached: 0, inputTokens: 1200, outputTokens: 4, unknownCalls: 0 },
    },
    earlierAttempts: [
      {
        error: { code: "timeout", message: "late", chain: [], isFatal: false },
        usage: undefined,
      } as const,
    ],
  };
  const layout = { columns: 200, isWhole: false, position: "1 of 1", folder: "/runs/one" };
  const text = rolloutLines(rollout, layout).join("\n");
  expect(text).toContain("right: It names the city.");
  expect(text).toContain("tools: search 2× (1 failed) 500 ms");
  expect(text).toContain("judge mini 1 call, 1,200 in, 4 out");
  expect(text).toContain("attempt 2, after timeout");
});
