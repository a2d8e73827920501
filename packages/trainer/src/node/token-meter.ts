import type { Rollout } from "@envs/core";
import { sidesOf } from "@envs/records";
import * as z from "zod";

import type { Backend } from "../backend.ts";
import type { TokenCounts } from "../report/training-report.ts";

const amount = z.number().min(0);

/** Prices per million tokens, in any currency. */
export const tokenPrice = z.object({ prompt: amount, sampled: amount, trained: amount });

export type TokenPrice = z.output<typeof tokenPrice>;

/** Counts what a backend processes, from `initial` on. */
export interface MeteredBackend {
  readonly backend: Backend;
  readonly counts: TokenCounts;
  /** Counts the tokens of a rollout that another process has sampled from the backend's weights. */
  readonly add: (rollout: Rollout) => void;
}

/** Wraps a backend so that its tokens are counted. Failed operations count as nothing. */
export function meterTokens(backend: Backend, initial: TokenCounts): MeteredBackend {
  let counts = initial;
  const add = (name: keyof TokenCounts, tokens: number): void => {
    counts = { ...counts, [name]: counts[name] + tokens };
  };
  const metered: Backend = {
    id: backend.id,
    renderer: backend.renderer,
    contextLength: backend.contextLength,
    check: (requirements) => backend.check?.(requirements),
    async sample(requests, signal) {
      const completions = await backend.sample(requests, signal);
      add("prompt", total(requests.map(({ promptIds }) => promptIds)));
      add("sampled", total(completions.map(({ ids }) => ids)));
      return completions;
    },
    async forward(data) {
      const forwards = await backend.forward(data);
      add("prompt", total(data.map(({ inputs }) => inputs)));
      return forwards;
    },
    async forwardBackward(data, loss) {
      const result = await backend.forwardBackward(data, loss);
      add("trained", total(data.map(({ inputs }) => inputs)));
      return result;
    },
    optimStep: (settings) => backend.optimStep(settings),
    saveState: (path) => backend.saveState(path),
    loadState: (path, options) => backend.loadState(path, options),
    close: () => backend.close(),
  };
  return {
    backend: metered,
    add(rollout) {
      const { branches = [] } = rollout;
      const turns = sidesOf(rollout).flatMap(({ trajectory }) => trajectory);
      const calls = [...turns, ...branches].flatMap(({ tokens }) => tokens ?? []);
      add("prompt", total(calls.map(({ promptIds }) => promptIds)));
      add("sampled", total(calls.map(({ completionIds }) => completionIds)));
    },
    get counts() {
      return counts;
    },
  };
}

export function tokensBetween(before: TokenCounts, after: TokenCounts): TokenCounts {
  return {
    prompt: after.prompt - before.prompt,
    sampled: after.sampled - before.sampled,
    trained: after.trained - before.trained,
  };
}

export function costOf(tokens: TokenCounts, price: TokenPrice): number {
  const { prompt, sampled, trained } = tokens;
  return (prompt * price.prompt + sampled * price.sampled + trained * price.trained) / 1e6;
}

function total(sequences: readonly { readonly length: number }[]): number {
  return sequences.reduce((sum, { length }) => sum + length, 0);
}
