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

/** What the sub-model of a rollout, or of a run, has cost. */
export interface SubModelUsage extends Usage {
  readonly calls: number;
  /** The number of calls whose tokens are unknown. */
  readonly unknownCalls: number;
}

/** What sub-models have cost, by the name of the model. */
export type SubModelUsages = Readonly<Record<string, SubModelUsage>>;

const noCalls: SubModelUsage = { ...noUsage, calls: 0, unknownCalls: 0 };

/** Adds up what the branches of a rollout have cost; `undefined` without branches. */
export function usageOfBranches(branches: readonly Branch[] = []): SubModelUsages | undefined {
  const sum: Record<string, SubModelUsage> = {};
  for (const { subModel, usage, isOverflow = false } of branches) {
    const before = sum[subModel] ?? noCalls;
    sum[subModel] = {
      ...addUsage(before, usage),
      calls: before.calls + 1,
      unknownCalls: before.unknownCalls + (usage === undefined && !isOverflow ? 1 : 0),
    };
  }
  return branches.length === 0 ? undefined : sum;
}

/** Adds what sub-models have cost. */
export function addSubModelUsages(
  left: SubModelUsages | undefined,
  right: SubModelUsages | undefined,
): SubModelUsages | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const sum: Record<string, SubModelUsage> = { ...left };
  for (const [name, usage] of Object.entries(right)) {
    const before = sum[name] ?? noCalls;
    sum[name] = {
      ...addUsage(before, usage),
      calls: before.calls + usage.calls,
      unknownCalls: before.unknownCalls + usage.unknownCalls,
    };
  }
  return sum;
}
