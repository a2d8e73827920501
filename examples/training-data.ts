// Write the rollouts with a sufficient reward as chat JSONL for a trainer, and read the file.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { policy, rollouts } from "@envs/core";
import doubleCheck from "@envs/double-check";
import { toChat } from "@envs/records";
import { readChats } from "@envs/records/node";

const folder = await mkdtemp(join(tmpdir(), "envs-data-"));
const file = join(folder, "chats.jsonl");

// #region chats
const teacher = { model: policy("solver"), examples: 20, rolloutsPerExample: 1 };
const lines: string[] = [];
for await (const rollout of rollouts(doubleCheck(), teacher))
  if (rollout.status === "scored" && rollout.reward >= 1)
    lines.push(JSON.stringify(toChat(rollout)));
await writeFile(file, lines.join("\n"));

let replies = 0;
for await (const { messages } of readChats(file))
  replies += messages.filter(({ role }) => role === "assistant").length;
console.log(`${lines.length} conversations, ${replies} replies to learn from`);
// #endregion

await rm(folder, { recursive: true });
