import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { messageOf } from "@envs/core/engine";

import { indent } from "../terminal/text.ts";
import { importedModules } from "./imports.ts";

/** Describes why a module cannot be loaded, with the file and line as far as they can be found. */
export async function loadFailure(error: unknown, entry: string): Promise<string> {
  const location =
    error instanceof SyntaxError ? await syntaxLocation(error, entry) : locationOf(error, entry);
  return location === undefined ? messageOf(error) : `${messageOf(error)}\n${indent(location)}`;
}

/** The location of a syntax error, which Node's error omits for TypeScript; `node --check` prints it. */
async function syntaxLocation(error: SyntaxError, entry: string): Promise<string | undefined> {
  const own = codeFrame(error.stack ?? "");
  if (own !== undefined) return own;
  for (const file of ownFiles(entry)) {
    const output = await checkSyntax(file);
    const frame = codeFrame(output);
    if (frame !== undefined) return frame;
  }
  return undefined;
}

/** What Node prints about the syntax of a file; empty if it is valid. */
async function checkSyntax(file: string): Promise<string> {
  try {
    return (await promisify(execFile)(process.execPath, ["--check", file])).stderr;
  } catch (error) {
    return (error as { readonly stderr?: string }).stderr ?? "";
  }
}

/** The lines above an error: the file with the line number, the line, and a marker below it. */
function codeFrame(text: string): string | undefined {
  const [first = "", ...rest] = text.split("\n");
  const match = /^(.+):(\d+)$/.exec(first);
  if (match === null) return undefined;
  const lines = rest.slice(
    0,
    rest.findIndex((line) => line === "" || /^\w*Error\b/.test(line)),
  );
  const marker = lines.findIndex((line) => /^\s*\^+\s*$/.test(line));
  const file = pathOf(match[1]!);
  return [`${file}:${match[2]}`, ...(marker < 1 ? [] : lines.slice(marker - 1, marker + 1))].join(
    "\n",
  );
}

function locationOf(error: unknown, entry: string): string | undefined {
  const importer = / imported from (.+)$/m.exec(messageOf(error))?.[1];
  if (importer !== undefined) return importLocation(messageOf(error), pathOf(importer));
  const frames = (error instanceof Error ? (error.stack ?? "") : "")
    .split("\n")
    .filter((line) => !line.includes("/node_modules/"));
  // The entry's own folder first: the folder above a loose file may contain any code.
  const folders = [new URL(".", entry).href, new URL("..", entry).href];
  const frame = folders
    .map((folder) => frames.find((line) => line.includes(folder)))
    .find((line) => line !== undefined);
  const place = frame === undefined ? null : /(file:.+?):(\d+):\d+\)?$/.exec(frame);
  return place === null ? undefined : `${pathOf(place[1]!)}:${place[2]}`;
}

/** The line of the import that fails, found by the name of the missing module. */
function importLocation(message: string, importer: string): string | undefined {
  const missing = /Cannot find (?:module|package) '([^']+)'/.exec(message)?.[1];
  if (missing === undefined || !existsSync(importer)) return undefined;
  const name = basename(missing, extname(missing));
  const lines = readFileSync(importer, "utf8").split("\n");
  const index = lines.findIndex((line) => line.includes(name) && /["']/.test(line));
  return index < 0 ? undefined : `${importer}:${index + 1}\n${lines[index]!.trim()}`;
}

const maxCheckedFiles = 20;

function ownFiles(entry: string): readonly string[] {
  const isOwn = (url: string): boolean =>
    url.startsWith("file:") && !url.includes("/node_modules/") && /\.[cm]?js$/.test(url);
  return importedModules(entry, isOwn)
    .filter(isOwn)
    .slice(0, maxCheckedFiles)
    .map((url) => fileURLToPath(url));
}

function pathOf(location: string): string {
  return location.startsWith("file:") ? fileURLToPath(location) : location;
}
