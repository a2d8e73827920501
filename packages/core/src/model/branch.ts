import type { Message } from "../message/message.ts";
import { type ToolSpec } from "./model.ts";
import type { Turn } from "./trajectory.ts";
import { addUsage, noUsage, type Usage } from "./usage.ts";

/** One call of a sub-model: a conversation beside the rollout's own, which starts at one of its turns. */
export interface Branch extends Omit<Turn, "seen" | "environment"> {
  /** The index of the turn that the environment answered when it asked; `undefined` if `setup` asked. */
  readonly turn: number | undefined;
  /** The model that replied. */
  readonly subModel: string;
  /** What the sub-model received. */
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[] | undefined;
  /** The messages exceeded the context of the sub-model. It did not reply: `message` is empty. */
  readonly isOverflow?: boolean | undefined;
}

/** What a sub-model, or a helper of an agent, has cost in a rollout or a run. */
export interface SubModelUsage extends Usage {
  readonly calls: number;
  /** The number of calls whose tokens are unknown. */
  readonly unknownCalls: number;
}

export type Called = Pick<Branch, "subModel" | "usage" | "isOverflow">;
/** What sub-models and helpers have cost, by the name of the model. */
export type SubModelUsages = Readonly<Record<string, SubModelUsage>>;

/** Adds up what calls have cost; `undefined` without any. */
export function usageOfBranches(branches: readonly Called[] = []): SubModelUsages | undefined {
  return branches
    .map(({ subModel, usage, isOverflow = false }): SubModelUsages => {
      const unknownCalls = usage === undefined && !isOverflow ? 1 : 0;
      return { [subModel]: { ...addUsage(noUsage, usage), calls: 1, unknownCalls } };
    })
    .reduce<SubModelUsages | undefined>(addUsages, undefined);
}

/** Adds what models have cost, by name. */
export function addUsages<Sum extends SubModelUsage & { readonly cached?: number }>(
  left: Readonly<Record<string, Sum>> | undefined,
  right: Readonly<Record<string, Sum>> | undefined,
): Readonly<Record<string, Sum>> | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const added = Object.entries(right).map(([name, usage]) => {
    const before = left[name];
    if (before === undefined) return [name, usage] as const;
    const [calls, unknownCalls] = [
      before.calls + usage.calls,
      before.unknownCalls + usage.unknownCalls,
    ];
    const cached =
      usage.cached === undefined ? {} : { cached: usage.cached + (before.cached ?? 0) };
    return [
      name,
      { ...usage, ...addUsage(before, usage), calls, unknownCalls, ...cached },
    ] as const;
  });
  return { ...left, ...Object.fromEntries(added) };
}
