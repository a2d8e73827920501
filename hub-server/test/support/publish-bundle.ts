import { createHash } from "node:crypto";

import type { TestHub, TestUser } from "./hub.ts";
import { publishEnvironment } from "./publish-environment.ts";

/** The parts of a bundle that a test may change, as JavaScript. */
export interface BundleParts {
  /** Statements of the module, which run once. */
  readonly module?: string | undefined;
  /** Statements that run for each request. `method` and `params` are those of the request. */
  readonly request?: string | undefined;
  /** The reward of a reply. `reply` is its text, `index` the position of the example. Default: {@link honestReward}. */
  readonly reward?: string | undefined;
}

/** The rule that the environment states: a reply needs an even number at its end. */
export const honestReward = `Number(/[02468]$/.test(reply))`;

/** A small bundle. Its rollouts have one turn, as those of `testRollout`. */
export function bundleOf({
  module = "",
  request = "",
  reward = honestReward,
}: BundleParts): string {
  return `
${module}
let replies = [];
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
      rollouts: params.rollouts.map(({ replies: [{ message }] }) => ({
        ...scored(index, message.content),
        stopReason: "end",
        isTruncated: false,
        prompt: [{ role: "user", content: "Your move. " + index }],
        completion: [message],
      })),
    }),
    start: () => ({ episode: index }),
    respond: () => ({ isDone: true, reply: (replies[index] = params.reply.content) }),
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
  { bare, code }: { readonly bare: string; readonly code: string },
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
    },
  });
  return name;
}
