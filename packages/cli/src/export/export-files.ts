import { access, constants, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { Rollout } from "@envs/core";
import { type ChatRow, toChat } from "@envs/records";
import { createFolder, WriteError } from "@envs/records/node";

/** A file to write. */
export interface ExportFile {
  /** Relative to the output folder. */
  readonly path: string;
  readonly text: string;
  readonly isExecutable?: boolean | undefined;
}

/** The output of an export format. */
export interface ExportResult {
  readonly files: readonly ExportFile[];
  /** Sentences for the user: the excluded rollouts, the next command. */
  readonly notes?: readonly string[];
}

/** Converts rows to JSON Lines. */
export function toJsonLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

interface ChatJsonlOptions extends NonNullable<Parameters<typeof toChat>[1]> {
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

/** Quotes text for TOML, Python and YAML. JSON strings are valid in all three, except that TOML forbids DEL. */
export function quoteString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007F", String.raw`\u007F`);
}

/** Creates the folder of a file. Throws a `WriteError` if the file cannot be written: before the work whose result it holds. */
export async function prepareFile(path: string): Promise<void> {
  await createFolder(dirname(path));
  try {
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    throw new WriteError(`write ${path}`, error, otherFile);
  }
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (isFolder) throw new WriteError(`write ${path}`, new Error("it is a folder"), otherFile);
}

const otherFile = "Choose another file with -o.";

/** Writes a file atomically, through a draft that is then renamed. Creates its folder. */
export async function writeFileAtomically(
  path: string,
  { text, isExecutable = false }: Pick<ExportFile, "text" | "isExecutable">,
): Promise<void> {
  await createFolder(dirname(path));
  const draft = `${path}.${process.pid}.draft`;
  try {
    await writeFile(draft, text, { flush: true, mode: isExecutable ? 0o755 : 0o644 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw new WriteError(`write ${path}`, error, otherFile);
  }
}

/** Writes files to a folder. */
export async function writeFiles(folder: string, files: readonly ExportFile[]): Promise<void> {
  for (const file of files) await writeFileAtomically(join(folder, file.path), file);
}
