import { extname } from "node:path";

import { markdownPassages } from "./markdown.ts";
import type { Passage } from "./passage.ts";
import { rules } from "./rules.ts";
import { scannedPassages } from "./scan.ts";
import { typescriptPassages } from "./typescript.ts";

/** A phrase to rewrite. */
export interface Finding {
  /** From 1. */
  readonly line: number;
  readonly phrase: string;
  readonly advice: string;
}

const readers: Readonly<Record<string, (path: string, source: string) => readonly Passage[]>> = {
  ".ts": typescriptPassages,
  ".tsx": typescriptPassages,
  ".md": (_, source) => markdownPassages(source),
  ".sql": (_, source) => scannedPassages("sql", source),
  ".py": (_, source) => scannedPassages("python", source),
  ".sh": (_, source) => scannedPassages("hash", source),
  ".yaml": (_, source) => scannedPassages("hash", source),
  ".toml": (_, source) => scannedPassages("hash", source),
};

/** Whether the file is of a kind that `lintProse` reads. */
export function hasProse(path: string): boolean {
  return extname(path) in readers;
}

/**
 * The phrases in comments, strings and documents that plain English avoids. A comment with `prose-ignore` permits phrases on its
 * own line and in the passage that begins there or on the next line; `prose-ignore-file`, those of the whole file.
 */
export function lintProse(path: string, source: string): readonly Finding[] {
  if (source.includes("prose-ignore-file")) return [];
  const lines = source.split("\n");
  const isIgnored = (line: number): boolean =>
    [line, line - 1].some((at) => lines[at - 1]?.includes("prose-ignore"));
  const read = readers[extname(path)];
  if (read === undefined) return [];
  return read(path, source)
    .filter(({ start }) => start === 0 || !isIgnored(lineAt(source, start)))
    .flatMap((passage) => lintPassage(source, passage))
    .filter(({ line }) => !isIgnored(line))
    .toSorted((a, b) => a.line - b.line);
}

function lintPassage(source: string, { kind, start, text }: Passage): readonly Finding[] {
  return rules
    .filter(({ kinds }) => kinds?.includes(kind) ?? true)
    .flatMap(({ pattern, advice }) =>
      [...text.matchAll(pattern)].map(({ 0: phrase, index }) => ({
        line: lineAt(source, start + index),
        phrase: phrase.replaceAll(/\s+/g, " "),
        advice,
      })),
    );
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split("\n").length;
}
