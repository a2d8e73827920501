// The process in which the code of authors runs: it may block, crash or leak without harm to the command.
import type { EnvironmentFactory, Model, ModelResponse } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { isolateRollouts } from "@envs/records/node";

import { checkRule } from "../check-rule.ts";
import { type Conversation, excerpt } from "../conversation.ts";
import { rules } from "../rules/index.ts";
import { prepare, type Subject } from "../subject.ts";
import type { Notice, Order, Preparation } from "./messages.ts";

let subject: Subject | undefined;
let controller = new AbortController();
const questions = new Map<number, (answer: Extract<Order, { type: "answer" }>) => void>();
let asked = 0;

// Rollouts record their own errors; the rest of the audit continues.
isolateRollouts({ onUnattributed: () => undefined });
process.on("message", (order: Order) => void obey(order));
process.on("disconnect", () => process.exit(0));

function send(notice: Notice): void {
  process.send?.(notice);
}

async function obey(order: Order): Promise<void> {
  if (order.type === "abort") controller.abort(new Error("The time limit is reached."));
  else if (order.type === "answer") questions.get(order.id)?.(order);
  else if (order.type === "prepare") send(await prepared(order.preparation));
  else {
    controller = new AbortController();
    const rule = rules.find(({ id }) => id === order.rule)!;
    const outcome = await checkRule(rule, { ...subject!, signal: controller.signal });
    send({ type: "outcome", outcome });
  }
}

let announced = Promise.resolve();

/**
 * Reports a turn, and delays other turns until its code has run once. So the last report names the rollout whose code does not
 * end, even if several play at once.
 */
async function announce(conversation: Conversation): Promise<void> {
  const before = announced;
  const { promise, resolve } = Promise.withResolvers<void>();
  announced = promise;
  await before;
  send({ type: "turn", conversation });
  setImmediate(resolve);
}

async function prepared({ module, config, hasJudge, ...options }: Preparation): Promise<Notice> {
  try {
    const { default: factory } = (await import(module)) as { readonly default: EnvironmentFactory };
    const environment = factory(config);
    subject = await prepare({
      ...options,
      module,
      environment,
      judge: hasJudge ? askCommand : undefined,
      signal: controller.signal,
      onTurn: (key, messages) => announce(excerpt("the last turn", key, messages)),
    });
    return { type: "prepared", environment: environment.name, examples: subject.cases.length };
  } catch (error) {
    const problem = controller.signal.aborted
      ? "a best and a silent rollout of each example take too long. Raise --time-limit, or lower --examples."
      : messageOf(error);
    return { type: "unprepared", problem };
  }
}

/** The judge lives in the command, which has its key and its cache. */
const askCommand: Model = async ({ messages, tools, sampling, seed }) => {
  const id = (asked += 1);
  const answer = new Promise<Extract<Order, { type: "answer" }>>((resolve) =>
    questions.set(id, resolve),
  );
  send({ type: "question", id, request: { messages, tools, sampling, seed } });
  const { response, problem } = await answer;
  questions.delete(id);
  if (response === undefined) throw new Error(problem);
  return response satisfies ModelResponse;
};
