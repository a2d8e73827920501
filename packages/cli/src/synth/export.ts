import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import type { Rollout } from "@envs/core";
import { type ChatRow, toChat } from "@envs/core/records";

export interface ExportOptions extends NonNullable<Parameters<typeof toChat>[1]> {
  /** Only what was said and the tools: for services that refuse fields they do not know. */
  readonly isBare: boolean;
}

/** Writes rollouts as chat JSONL, all or nothing. */
export async function writeChats(
  file: string,
  rollouts: readonly Rollout[],
  { isBare, ...source }: ExportOptions,
): Promise<void> {
  const rows = rollouts.map((rollout) => {
    const row = toChat(rollout, source);
    return isBare ? bare(row) : row;
  });
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.draft`;
  await writeFile(draft, rows.map((row) => `${JSON.stringify(row)}\n`).join(""), { flush: true });
  await rename(draft, file);
}

function bare({ messages, tools }: ChatRow): ChatRow {
  return { messages, ...(tools === undefined ? {} : { tools }) };
}
