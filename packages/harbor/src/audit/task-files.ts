import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

import type { HarborTask } from "../task/task.ts";

/** A file of a task, as text. */
export interface TaskFile {
  /** Relative to the task. */
  readonly path: string;
  readonly text: string;
}

/** What rules read of a task's folder. */
export interface TaskFiles {
  readonly instruction: string;
  readonly tests: readonly TaskFile[];
  readonly solution: readonly TaskFile[];
  readonly environment: readonly TaskFile[];
  /** The Dockerfile without comments and with joined lines. */
  readonly dockerfile: string;
}

const maxBytes = 1_000_000;

export function readTaskFiles({ folder, steps }: HarborTask): TaskFiles {
  const below = (...folders: readonly string[]): readonly TaskFile[] =>
    [...new Set(folders)].flatMap((place) => filesIn(folder, place));
  const environment = below(join(folder, "environment"));
  const dockerfile = environment.find(({ path }) => path === "environment/Dockerfile")?.text ?? "";
  return {
    instruction: steps.map(({ instruction }) => instruction).join("\n"),
    tests: below(...steps.flatMap(({ tests }) => tests)),
    solution: below(...steps.flatMap(({ solution }) => solution ?? [])),
    environment,
    dockerfile: dockerfile.replaceAll(/^\s*#.*$/gmu, "").replaceAll(/\\\r?\n/gu, " "),
  };
}

function filesIn(root: string, folder: string): readonly TaskFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => statSync(file).size <= maxBytes)
    .toSorted()
    .map((file) => ({ path: relative(root, file), text: readFileSync(file, "utf8") }));
}

/** Shell and Python without comments, so that a remark is not taken for code. */
export function codeOf({ path, text }: TaskFile): string {
  return /\.(?:sh|py|bash)$/u.test(path) ? text.replaceAll(/^\s*#.*$/gmu, "") : text;
}

const unnamed = /^\/(?:tests|logs|tmp|usr|etc|bin|dev|proc|sys|root|var|opt|run|solution|lib)\b/u;
const filePath = /(?:\/[\w.-]+)+\.[A-Za-z]\w{0,7}\b/gu;

/** The files below the working folders that the tests name with an absolute path. */
export function filesThatTestsRead(tests: readonly TaskFile[]): readonly string[] {
  const paths = tests
    .filter(({ path }) => /\.(?:sh|py)$/u.test(path))
    .flatMap(
      (file) =>
        codeOf(file)
          .replaceAll(/\w+:\/\/\S+/gu, "")
          .match(filePath) ?? [],
    );
  return [...new Set(paths)].filter((path) => !unnamed.test(path));
}
