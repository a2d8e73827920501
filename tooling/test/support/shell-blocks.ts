import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "shell-quote";

/** A fenced block of shell commands in a document. */
export interface ShellBlock {
  /** The document, relative to the root, and the line of the fence. */
  readonly place: string;
  readonly document: string;
  readonly text: string;
  /** Why tests do not run it: `<!-- not run: needs a GPU -->` before the block. */
  readonly notRun: string | undefined;
  /** Whether the block runs in a new folder: `<!-- shell: empty folder -->` before the block. */
  readonly isInEmptyFolder: boolean;
  /** Files to copy first, from path to path: `<!-- file: src/index.ts = examples/game.ts -->` before the block. */
  readonly files: readonly { readonly target: string; readonly source: string }[];
}

const documents = [
  "{README,CONTRIBUTING}.md",
  "{packages,environments}/*/README.md",
  "{examples,examples/ports,hub-server}/README.md",
  "docs/**/*.md",
];

/** The blocks of shell commands in all guides and READMEs of a workspace. */
export function workspaceShellBlocks(root: string): readonly ShellBlock[] {
  return globSync(documents, { cwd: root })
    .toSorted()
    .flatMap((path) => shellBlocks(path, readFileSync(join(root, path), "utf8")));
}

/** The commands in the running text and the tables of all guides and READMEs: `envs eval tictactoe`. */
export function workspaceInlineCommands(root: string): readonly string[] {
  const commands = globSync(documents, { cwd: root }).flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8").replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
    return [...text.matchAll(/`((?:npx [^`]*)?envs [a-z][^`]*)`/g)].map(([, code = ""]) => code);
  });
  // A placeholder is not an argument.
  return [...new Set(commands)].filter((command) => !/[…<]/.test(command)).toSorted();
}

/** The blocks of shell commands in one document, with the comments that precede them. */
export function shellBlocks(document: string, markdown: string): readonly ShellBlock[] {
  const lines = markdown.split("\n");
  const blocks: ShellBlock[] = [];
  let comments: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const fence = /^(?<indent> *)(?<ticks>`{3,})(?<language>\w*)/.exec(line)?.groups;
    const comment = /^ *<!-- (?<text>.+) -->$/.exec(line)?.groups?.["text"];
    if (comment !== undefined) comments.push(comment);
    if (fence === undefined) {
      if (comment === undefined && line.trim() !== "") comments = [];
      continue;
    }
    const { indent = "", ticks = "", language } = fence;
    const end = lines.indexOf(indent + ticks, at + 1);
    const body = lines.slice(at + 1, end).map((text) => text.slice(indent.length));
    if (language === "sh") {
      const place = `${document}:${at + 1}`;
      blocks.push({ place, document, text: body.join("\n"), ...directives(comments) });
    }
    comments = [];
    at = end;
  }
  return blocks;
}

function directives(comments: readonly string[]) {
  const valueOf = (name: string): string | undefined =>
    comments.find((text) => text.startsWith(`${name}: `))?.slice(name.length + 2);
  const files = comments.flatMap((text) => {
    const { target, source } = /^file: (?<target>\S+) = (?<source>\S+)$/.exec(text)?.groups ?? {};
    return target === undefined || source === undefined ? [] : [{ target, source }];
  });
  return {
    notRun: valueOf("not run"),
    isInEmptyFolder: valueOf("shell") === "empty folder",
    files,
  };
}

/** The commands of a block as words, without assignments, redirections, comments and the text of here-documents. */
export function commandsOf(text: string): readonly (readonly string[])[] {
  const joined = text
    .replaceAll(/\\\n\s*/g, " ")
    .replaceAll(/<<'?(\w+)'?\n[\s\S]*?\n\1$/gm, "")
    .replaceAll(/\$\(([^)]*)\)/g, "SUBSTITUTION");
  return joined.split("\n").flatMap((line) => splitCommands(line));
}

function splitCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  let isTarget = false;
  for (const entry of parse(line, (name) => `$${name}`)) {
    if (typeof entry === "object" && "comment" in entry) break;
    if (typeof entry === "object" && entry.op !== "glob") {
      isTarget = [">", ">>", "<"].includes(entry.op);
      if (!isTarget) commands.push([]);
      continue;
    }
    const word = typeof entry === "string" ? entry : entry.pattern;
    if (!isTarget) commands.at(-1)?.push(word);
    isTarget = false;
  }
  return commands
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))))
    .filter((words) => words.length > 0);
}

/** The arguments of the command line in a command such as `npx --no envs info`; `undefined` for another program. */
export function envsArguments(words: readonly string[]): readonly string[] | undefined {
  const prefixes = [["npx", "-y", "pnpm@12", "envs"], ["npx", "--no", "envs"], ["envs"]];
  const prefix = prefixes.find((candidate) => candidate.every((word, at) => words[at] === word));
  return prefix && words.slice(prefix.length);
}
