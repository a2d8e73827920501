import type { Rollout } from "@envs/core";
import { type ChatRow, toChat } from "@envs/core/records";

import { toJsonLines } from "./export-result.ts";

export interface ChatJsonlOptions extends NonNullable<Parameters<typeof toChat>[1]> {
  /** Write only messages and tools, for services that reject unknown fields. */
  readonly isBare: boolean;
}

/** Converts rollouts to chat JSONL. */
export function toChatJsonl(
  rollouts: readonly Rollout[],
  { isBare, ...source }: ChatJsonlOptions,
): string {
  return toJsonLines(
    rollouts.map((rollout) => {
      const row = toChat(rollout, source);
      return isBare ? bareRow(row) : row;
    }),
  );
}

function bareRow({ messages, tools }: ChatRow): Pick<ChatRow, "messages" | "tools"> {
  return { messages, ...(tools === undefined ? {} : { tools }) };
}
