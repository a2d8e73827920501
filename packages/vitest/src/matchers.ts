import type { Message, Rollout } from "@envs/core";
import type { TokenPrice } from "@envs/models/prices";
import { expect } from "vitest";

import { BudgetMeter, type Budget } from "./budget.ts";
import { type Condition, rewardCondition, share } from "./gate.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { argumentsOf } from "./report/transcript.ts";

/** An evaluation, or its rollouts. */
type Rollouts = readonly Rollout[] | { readonly rollouts: readonly Rollout[] };

interface PassOptions {
  /** The minimum reward of a trial that passes. Default 0.5. */
  readonly passThreshold?: number | undefined;
}

interface EnvironmentMatchers<R> {
  /** Checks that, for an evaluation, the lower bound of the 95 % interval of the pass rate is at least `minimum`. */
  toHavePassRate: (minimum: number, options?: PassOptions) => R;
  /** Checks that, for an evaluation, the lower bound of the probability that one of `k` trials passes is at least `minimum`. */
  toHavePassAtK: (k: number, minimum: number, options?: PassOptions) => R;
  /** Checks that, for an evaluation, the lower bound of the probability that all of `k` trials pass is at least `minimum`. */
  toHavePassHatK: (k: number, minimum: number, options?: PassOptions) => R;
  /** Checks that, for an evaluation, the lower bound of the 95 % interval of the mean reward is at least `minimum`. */
  toHaveMeanReward: (minimum: number) => R;
  /** Checks that the turns of an evaluation used at most these tokens, and cost at most this amount. */
  toStayWithin: (budget: Budget, price?: TokenPrice) => R;
  /** Checks that the model of a rollout called this tool, with at least these arguments. */
  toHaveCalledTool: (name: string, input?: Readonly<Record<string, unknown>>) => R;
}

declare module "vitest" {
  // oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-unused-vars -- vitest declares it with these parameters
  interface Matchers<
    R extends void | Promise<void> = void | Promise<void>,
    T = unknown,
  > extends EnvironmentMatchers<R> {}
}

expect.extend({
  toHavePassRate: (received: Rollouts, minimum: number, options?: PassOptions) =>
    result(share("pass rate", minimum, outcome(received, options).passRate)),
  toHavePassAtK: (received: Rollouts, k: number, minimum: number, options?: PassOptions) =>
    result(share(`pass@${k}`, minimum, outcome(received, options).passAtK(k))),
  toHavePassHatK: (received: Rollouts, k: number, minimum: number, options?: PassOptions) =>
    result(share(`pass^${k}`, minimum, outcome(received, options).passHatK(k))),
  toHaveMeanReward: (received: Rollouts, minimum: number) =>
    result(rewardCondition(minimum, outcome(received).reward)),
  toStayWithin(received: Rollouts, budget: Budget, price?: TokenPrice) {
    const meter = new BudgetMeter(budget);
    for (const { trajectory, unfinishedCalls = [] } of rolloutsOf(received)) {
      const calls = trajectory.flatMap((turn) => turn.calls ?? []);
      // The usage of a turn lacks that of helpers.
      const helperCalls = calls.filter(({ isHelper }) => isHelper);
      for (const call of [...trajectory, ...helperCalls, ...unfinishedCalls])
        meter.add(call, price);
    }
    const unknown = meter.unknownCalls > 0;
    return {
      pass: !unknown && meter.problem === undefined,
      message: () =>
        unknown
          ? `The model does not report the usage of ${meter.unknownCalls} calls.`
          : (meter.problem ?? `The rollouts stay within the budget: ${meter.text}.`),
    };
  },
  toHaveCalledTool(received: Rollout, name: string, input: Readonly<Record<string, unknown>> = {}) {
    const calls = received.completion.flatMap((message: Message) =>
      message.role === "assistant" ? (message.tool_calls ?? []) : [],
    );
    const matching = calls.filter(
      (call) =>
        call.function.name === name &&
        this.equals(argumentsOf(call), expect.objectContaining(input)),
    );
    const list = calls.map((call) => `  ${call.function.name}(${call.function.arguments})`);
    return {
      pass: matching.length > 0,
      message: () =>
        `${matching.length === 0 ? "No call of" : "Called"} ${name} with ${JSON.stringify(input)}. The calls:\n${list.join("\n") || "  none"}`,
    };
  },
});

function outcome(received: Rollouts, options?: PassOptions): Outcome {
  return outcomeOf(rolloutsOf(received), options);
}

function rolloutsOf(received: Rollouts): readonly Rollout[] {
  return "rollouts" in received ? received.rollouts : received;
}

function result({ isMet, text }: Condition): { pass: boolean; message: () => string } {
  return { pass: isMet, message: () => text };
}
