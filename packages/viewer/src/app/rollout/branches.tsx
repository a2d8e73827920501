import type { ViewedBranch, ViewedMessage } from "../../record/rollout.ts";
import { count, plural, seconds } from "../format.ts";
import { MessageTexts, textOf } from "./message-texts.tsx";

interface BranchesProps {
  readonly branches: readonly ViewedBranch[];
  readonly query: string;
}

const names = {
  agent: "agent call",
  helper: "helper call",
  activity: "action",
  "sub-model": "sub-model call",
} as const;

/** The calls of a turn, folded: calls of an agent, of its helpers, and of sub-models, and what the agent did besides. */
export function Branches({ branches, query }: BranchesProps) {
  return (["agent", "helper", "activity", "sub-model"] as const).map((kind) => (
    <CallList
      key={kind}
      name={names[kind]}
      branches={branches.filter((branch) => branch.kind === kind)}
      query={query}
    />
  ));
}

function CallList({ name, branches, query }: BranchesProps & { readonly name: string }) {
  if (branches.length === 0) return null;
  return (
    <details className="branches">
      <summary>
        {plural(branches.length, name)}
        <span className="quiet"> {tokensOf(branches)}</span>
      </summary>
      <ol>
        {branches.map((branch, index) => (
          <li key={index}>
            <BranchView branch={branch} query={query} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function BranchView({ branch, query }: { readonly branch: ViewedBranch; readonly query: string }) {
  const { subModel, messages, seconds: time, isOverflow } = branch;
  const facts = [
    subModel,
    tokensOf([branch]),
    time === undefined || time === 0 ? "" : seconds(time),
    isOverflow ? "exceeds its context" : "",
  ].filter((fact) => fact !== "");
  return (
    <details className="branch">
      <summary>
        <span className="branch-head">
          {messages.length > 1 && (
            <span className="branch-question quiet">{firstWords(messages.at(-2))}</span>
          )}
          <span className="quiet">{facts.join(" · ")}</span>
          <span className="branch-reply">
            {messages.length > 1 && <span className="quiet">reply </span>}
            {firstWords(messages.at(-1))}
          </span>
        </span>
      </summary>
      <MessageTexts messages={messages} query={query} />
    </details>
  );
}

function tokensOf(branches: readonly ViewedBranch[]): string {
  const sum = (side: "inputTokens" | "outputTokens"): number =>
    branches.reduce((total, { usage }) => total + (usage?.[side] ?? 0), 0);
  const [input, output] = [sum("inputTokens"), sum("outputTokens")];
  return input + output === 0 ? "" : `${count(input)} tokens in, ${count(output)} out`;
}

/** The maximum length of the first words, enough for one line on a wide screen. */
const maxWords = 300;

function firstWords(message: ViewedMessage | undefined): string {
  return textOf(message).slice(0, maxWords).trim() || "(empty)";
}
