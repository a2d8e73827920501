import { type Fields, fieldsOf, listOf, numberOf, textOf } from "./json.ts";
import { agentCallsByTurn, readAgentCalls } from "./read-agent-calls.ts";
import { readMessages } from "./read-messages.ts";
import { readUsage, spanOf } from "./read-usage.ts";
import type { ViewedBranch, ViewedRollout } from "./rollout.ts";

/** Reads the calls of a row beside its conversation: those of an agent, then those of sub-models. */
export function readBranches(row: Fields): Pick<ViewedRollout, "branches" | "agentCalls"> {
  const branches = [...readAgentCalls(row), ...readSubModelCalls(row["branches"])];
  const agentCalls = agentCallsByTurn(row).flat().length;
  return { ...(branches.length > 0 && { branches }), ...(agentCalls > 0 && { agentCalls }) };
}

function readSubModelCalls(value: unknown): readonly ViewedBranch[] {
  return listOf(value)
    .map(fieldsOf)
    .map((branch) => ({
      kind: "sub-model",
      turn: numberOf(branch["turn"]),
      subModel: textOf(branch["sub_model"]) ?? "sub-model",
      messages: [
        ...readMessages(branch["messages"], "user"),
        ...readMessages([branch["message"] ?? {}], "assistant"),
      ],
      usage: readUsage(branch["usage"]),
      seconds: spanOf(branch["model"]),
      isOverflow: branch["is_overflow"] === true,
    }));
}
