import type { Rollout } from "@envs/core";
import { type ChatRow, toChat } from "@envs/core/records";

import { jsonLines } from "./format.ts";

export interface ExportOptions extends NonNullable<Parameters<typeof toChat>[1]> {
  /** Only what was said and the tools: for services that refuse fields they do not know. */
  readonly isBare: boolean;
}

/** Rollouts as chat JSONL. */
export function chatLines(
  rollouts: readonly Rollout[],
  { isBare, ...source }: ExportOptions,
): string {
  return jsonLines(
    rollouts.map((rollout) => {
      const row = toChat(rollout, source);
      return isBare ? bare(row) : row;
    }),
  );
}

function bare({ messages, tools }: ChatRow): ChatRow {
  return { messages, ...(tools === undefined ? {} : { tools }) };
}
