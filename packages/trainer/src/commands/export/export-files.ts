import { join } from "node:path";

import { type FileContent, writeFileAtomically } from "@envs/cli/kit";
import type { Rollout } from "@envs/core";
import { type ChatRow, toChat } from "@envs/records";

export interface ExportFile<Text extends string | Uint8Array = string> extends FileContent<Text> {
  /** Relative to the output folder. */
  readonly path: string;
}

/** The output of an export format. */
export interface ExportResult<Text extends string | Uint8Array = string> {
  readonly files: readonly ExportFile<Text>[];
  /** Sentences for the user: the excluded rollouts, the next command. */
  readonly notes?: readonly string[];
}

export function toJsonLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

interface ChatJsonlOptions extends NonNullable<Parameters<typeof toChat>[1]> {
  /** Write only messages and tools, for services that reject unknown fields. */
  readonly isBare: boolean;
}

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

/** Quotes text for TOML, Python and YAML. JSON strings are valid in all three, except that TOML forbids DEL. */
export function quoteString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007F", String.raw`\u007F`);
}

export async function writeFiles(
  folder: string,
  files: readonly ExportFile<string | Uint8Array>[],
): Promise<void> {
  for (const file of files) await writeFileAtomically(join(folder, file.path), file);
}
