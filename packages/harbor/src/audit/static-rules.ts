import { basename } from "node:path";

import type { HarborTask } from "../task/task.ts";
import { codeOf, filesThatTestsRead, type TaskFile, type TaskFiles } from "./task-files.ts";

export type Severity = "high" | "medium" | "low";

/** A question about a task that its files answer. */
export interface StaticRule {
  readonly id: string;
  readonly severity: Severity;
  /** A sentence that is true of a sound task. */
  readonly asks: string;
  /** Returns a message for each fault. */
  readonly find: (task: HarborTask, files: TaskFiles) => readonly string[];
}

const minLength = 40;

/** Files of the tests or the solution whose content the image contains too. */
function copies(secret: readonly TaskFile[], { environment }: TaskFiles): readonly string[] {
  return secret.flatMap(({ path, text }) => {
    const content = text.trim();
    const place =
      content.length < minLength
        ? undefined
        : environment.find((file) => file.text.includes(content));
    return place === undefined ? [] : [`${place.path} contains ${path}`];
  });
}

const downloads =
  /\b(?:curl|wget|uvx|git\s+clone|(?:pip3?|uv\s+pip|npm|yarn|pnpm|apt-get|apt|apk|cargo|gem|go)\s+(?:-\S+\s+)*(?:install|add|get|update))\b/u;

/** Rules that read the files of a task and play nothing. */
export const staticRules: readonly StaticRule[] = [
  {
    id: "readable-tests",
    severity: "high",
    asks: "The agent cannot read or write the tests before it has ended",
    find: (_, files) => [
      ...copies(files.tests, files),
      ...(/^\s*(?:COPY|ADD)\s.*\btests?\/?\s/imu.test(files.dockerfile)
        ? ["The Dockerfile copies the folder of the tests"]
        : []),
      ...files.environment
        .filter(
          ({ path, text }) =>
            /compose\.ya?ml$/u.test(path) && /\.\.\/(?:tests|solution)/u.test(text),
        )
        .map(({ path }) => `${path} mounts the tests or the solution`),
    ],
  },
  {
    id: "answer-in-image",
    severity: "high",
    asks: "The image and its layers do not contain the solution",
    find: (_, files) => [
      ...copies(files.solution, files),
      ...[...files.dockerfile.matchAll(/^\s*(?:COPY|ADD)\s+(?:--\S+\s+)*(\S+)\s+\S+/gimu)]
        .map(([, source = ""]) => basename(source))
        .filter((name) =>
          files.dockerfile
            .split("\n")
            .some(
              (line) => /^\s*RUN\b/iu.test(line) && /\brm\b/u.test(line) && hasWord(line, name),
            ),
        )
        .map((name) => `A layer keeps ${name}, which a later line removes`),
    ],
  },
  {
    id: "git-history",
    severity: "high",
    asks: "The history of a repository in the image does not contain the solution",
    find: (_, { dockerfile, environment }) => [
      ...(/\bgit\s+clone\b/u.test(dockerfile) &&
      !/--depth[= ]1\b|rm\s+-\w*r\w*\s+\S*\.git\b/u.test(dockerfile)
        ? ["The Dockerfile clones a repository with its whole history"]
        : []),
      ...(environment.some(({ path }) => path.includes("/.git/"))
        ? ["The image contains the folder .git of the environment"]
        : []),
    ],
  },
  {
    id: "undeclared-network",
    severity: "high",
    asks: "A phase without a network downloads nothing",
    find: ({ config }, { tests, solution }) => {
      const mode = config.environment.network_mode ?? "public";
      const phases = [
        [solution, config.agent.network_mode ?? mode, "The solution"],
        [tests, config.verifier.network_mode ?? mode, "The grader"],
      ] as const;
      return phases.flatMap(([files, network, who]) => {
        const file = files.find((one) => downloads.test(codeOf(one)));
        return network === "no-network" && file !== undefined
          ? [`${who} downloads in ${file.path}, although its network_mode forbids it`]
          : [];
      });
    },
  },
  {
    id: "downloading-grader",
    severity: "low",
    asks: "The grader does not depend on what the internet serves that day",
    find: ({ config }, { tests }) => {
      const mode = config.verifier.network_mode ?? config.environment.network_mode ?? "public";
      const file = tests.find((one) => downloads.test(codeOf(one)));
      return mode === "public" && file !== undefined
        ? [`${file.path} downloads: ${downloads.exec(codeOf(file))![0]}`]
        : [];
    },
  },
  {
    id: "unnamed-file",
    severity: "medium",
    asks: "The instruction, or a file of the image, names each file that the tests read",
    find: (_, { instruction, tests, environment }) => {
      const known = [instruction, ...environment.flatMap(({ path, text }) => [path, text])].join(
        "\n",
      );
      return filesThatTestsRead(tests)
        .filter((path) => !hasWord(known, basename(path)))
        .map((path) => `The tests read ${path}, which the instruction does not name`);
    },
  },
  {
    id: "clock",
    severity: "low",
    asks: "The grade is the same tomorrow",
    find: (_, { tests }) =>
      matching(
        tests,
        /\b(?:datetime\.now|datetime\.utcnow|date\.today|datetime\.today)\(|\$\(date\b(?!\s+\+%s(?:%N)?\))/u,
        "asks for the date",
      ),
  },
  {
    id: "locale",
    severity: "low",
    asks: "The grade is the same in each locale",
    find: (_, { tests }) =>
      matching(tests, /\blocale\.setlocale\(|strftime\([^)]*%[ABabcxX]/u, "depends on the locale"),
  },
];

function matching(tests: readonly TaskFile[], pattern: RegExp, what: string): readonly string[] {
  return tests
    .filter((file) => /\.(?:sh|py)$/u.test(file.path) && pattern.test(codeOf(file)))
    .map((file) => `${file.path} ${what}: ${pattern.exec(codeOf(file))![0]}`);
}

function hasWord(text: string, word: string): boolean {
  const escaped = word.replaceAll(/[^\w]/gu, "\\$&");
  return new RegExp(`(?<![\\w.-])${escaped}(?![\\w-])`).test(text);
}
