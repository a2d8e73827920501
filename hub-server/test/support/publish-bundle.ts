import { createHash } from "node:crypto";

import type { EnvironmentManifest } from "@envs/hub-client";

import type { TestHub, TestUser } from "./hub.ts";
import { publishEnvironment } from "./publish-environment.ts";

/** The parts of a bundle that a test may change, as JavaScript. */
export interface BundleParts {
  /** Statements of the module, which run once. */
  readonly module?: string | undefined;
  /** Statements that run for each request. `method` and `params` are those of the request. */
  readonly request?: string | undefined;
  /** The prompt of an example. Default: `Your move.` and its position. */
  readonly prompt?: string | undefined;
  /** The reply of a policy, as text. `policy` is its name, `index` the position of the example. Default: `move 2`. */
  readonly advice?: string | undefined;
  /** The reward of a reply. `reply` is its text, `index` the position of the example. Default: {@link honestReward}. */
  readonly reward?: string | undefined;
}

/** The rule that the environment states: a reply needs an even number at its end. */
export const honestReward = `Number(/[02468]$/.test(reply))`;

/** The number of examples in the dataset of {@link bundleOf}. */
export const bundleExamples = 40;

/** A small bundle. Its rollouts have one turn, as those of `testRollout`. */
export function bundleOf({
  module = "",
  request = "",
  prompt = `"Your move. " + index`,
  advice = `"move 2"`,
  reward = honestReward,
}: BundleParts): string {
  return `
${module}
let replies = [];
const message = (role, content) => ({ role, content });
const example = (index) => ({ id: "e" + index, prompt: ${prompt} });
const scored = (index, reply) => {
  const win = ${reward};
  return { reward: win, scores: { win } };
};
export const request = async (text) => {
  const { method, params } = JSON.parse(text);
  const index = params.example?.index ?? params.episode;
  ${request}
  const methods = {
    replay: () => ({
      rollouts: params.rollouts.map(({ replies: [{ message: reply }] }) => ({
        ...scored(index, reply.content),
        stopReason: "end",
        isTruncated: false,
        prompt: [message("user", example(index).prompt)],
        completion: [reply],
      })),
    }),
    examples: () => {
      const { offset, count } = params;
      const indexes = Array.from({ length: count }, (_, at) => offset + at);
      const listed = indexes.filter((at) => at < ${bundleExamples});
      return {
        examples: listed.map((at) => ({ index: at, key: "e" + at, example: example(at) })),
        hasMore: offset + count < ${bundleExamples},
      };
    },
    start: () => ({
      episode: index,
      index,
      key: example(index).id,
      example: example(index),
      tools: [],
      messages: [message("user", example(index).prompt)],
      isDone: false,
    }),
    advise: () => message("assistant", (({ policy }) => ${advice})(params)),
    respond: () => ({ isDone: true, messages: [], reply: (replies[index] = params.reply.content) }),
    score: () => scored(index, replies[index]),
    close: () => ({}),
  };
  return JSON.stringify({ result: methods[method]() });
};`;
}

/** Publishes an environment with a bundle. Returns its name. */
export async function publishBundle(
  server: Pick<TestHub, "request">,
  user: TestUser,
  {
    bare,
    code,
    manifest,
  }: {
    readonly bare: string;
    readonly code: string;
    readonly manifest?: Partial<EnvironmentManifest>;
  },
): Promise<string> {
  const name = `@${user.name}/${bare}`;
  const path = "dist/envs.bundle.js";
  const bytes = Buffer.from(code);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await publishEnvironment(server, name, {
    as: user,
    files: { "dist/index.js": "export default 1;", [path]: code },
    manifest: {
      name: "chess",
      bundle: { path, size: bytes.byteLength, sha256, callsModels: false },
      ...manifest,
    },
  });
  return name;
}
