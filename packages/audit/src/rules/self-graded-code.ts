import type { AssistantMessage } from "@envs/core";
import { describeContent } from "@envs/core/engine";
import { scriptedModel } from "@envs/core/testing";

import { thefts } from "../code-thefts.ts";
import { conversationOf } from "../conversation.ts";
import { withoutThoughts } from "../forms.ts";
import { play } from "../play.ts";
import { noScale, type Probe, tryProbes } from "../probe.ts";
import { notTried, outcome, type Rule } from "../rule.ts";
import type { Case, Subject } from "../subject.ts";
import { codeInputs } from "./sandbox-escape.ts";

export const selfGradedCode: Rule = {
  id: "self-graded-code",
  severity: "high",
  asks: "Code of a model cannot grade itself.",
  decides:
    "The code of the best replies, in fenced blocks, bare replies and the arguments of tools, is replaced by code that solves nothing: its function returns an object that equals everything, replaces functions of its module, ends the process early, or prints that all tests passed. A finding is a mean reward above 50% of the best, or JavaScript that runs in the process of the environment.",
  remedy:
    "Grade code with `gradeCode` of @envs/sandbox: it runs alone, and its results are compared outside.",

  async check(subject) {
    if (subject.scale === undefined) return notTried(noScale(subject));
    if (subject.cases.every((one) => codeOf(one) === undefined))
      return notTried("the best replies contain no function in Python or JavaScript");
    const reached = await reachesProcess(subject);
    if (reached !== undefined) return outcome("1 attack", [reached]);
    const names = Object.keys(thefts.python(""));
    return tryProbes(
      subject,
      names.map((variant): Probe => ({
        variant,
        title: `Code that ${variant.replaceAll("-", " ")}`,
        reply: (one) => replacing(one, ({ language, name }) => thefts[language](name)[variant]!),
      })),
    );
  },
};

interface Code {
  readonly language: keyof typeof thefts;
  /** The function that tests call. */
  readonly name: string;
}

const canary = "__envsAuditCanary";

/** Whether code runs in this process. Other thefts would then change the audit itself. */
async function reachesProcess(subject: Subject) {
  const one = subject.cases.find((other) => codeOf(other)?.language === "javascript");
  if (one === undefined) return undefined;
  const reach = `globalThis.constructor.constructor("return globalThis")().${canary} = true;`;
  const model = replacing(one, ({ name }) => `${reach}\nvar ${name} = () => { ${reach} };`)!;
  try {
    const rollout = await play(subject, one.keyed, model);
    if (!Reflect.has(globalThis, canary)) return undefined;
    const title = "code in the process of the environment";
    return {
      variant: "process",
      message: "Code of a reply runs in the process of the environment, and can change its scores",
      conversations: [conversationOf(title, rollout)],
    };
  } finally {
    Reflect.deleteProperty(globalThis, canary);
  }
}

const fence = /(```(?:\w*)\n)([\s\S]*?)(\n?```)/gu;
const definitions = {
  python: /^[ \t]*(?:async )?def (\w+)\s*\(/mu,
  javascript:
    /\bfunction (\w+)\s*\(|\b(?:const|let|var) (\w+) = (?:async )?(?:function\b|\(?[\w\s,{}[\]]*\)?\s*=>)/u,
} as const;

/** The code of the best rollout, if it defines a function, or completes one that the prompt begins. */
function codeOf({ best }: Case): Code | undefined {
  const codes = best.completion.flatMap((message) =>
    message.role === "assistant" ? codesIn(message) : [],
  );
  const prompt = describeContent(best.prompt.at(-1)?.content ?? "");
  const isBody = codes.some((code) => /^[ \t]+\S/u.test(code));
  for (const text of [...codes.toReversed(), ...(isBody || codes.length > 0 ? [prompt] : [])])
    for (const language of ["python", "javascript"] as const) {
      const [, ...names] = definitions[language].exec(text) ?? [];
      const name = names.find((found) => found !== undefined);
      if (name !== undefined) return { language, name };
    }
  return undefined;
}

function codesIn({ content, tool_calls: calls = [] }: AssistantMessage): readonly string[] {
  const bare = withoutThoughts(content);
  const fenced = [...bare.matchAll(fence)].map(([, , code]) => code!);
  const inputs = calls.flatMap((call) => Object.values(codeArguments(call.function.arguments)));
  const isCode =
    /^[ \t]+\S/u.test(content) || Object.values(definitions).some((one) => one.test(bare));
  return [...inputs, ...(fenced.length > 0 ? fenced : isCode ? [content] : [])];
}

function codeArguments(text: string): Readonly<Record<string, string>> {
  try {
    const entries = Object.entries(JSON.parse(text) as object);
    return Object.fromEntries(
      entries.filter(([key, value]) => codeInputs.test(key) && typeof value === "string"),
    ) as Record<string, string>;
  } catch {
    return {};
  }
}

/** The best rollout with its code replaced. */
function replacing(one: Case, write: (code: Code) => string) {
  const code = codeOf(one);
  if (code === undefined) return undefined;
  const text = write(code);
  // Code that is indented completes a function, whose body ends here.
  const replace = (before: string): string =>
    /^[ \t]+\S/u.test(before) ? `    pass\n${text}` : text;
  const messages = one.best.completion.filter((message) => message.role === "assistant");
  return scriptedModel(...messages.map((message) => withCode(message, replace)));
}

function withCode(
  message: AssistantMessage,
  replace: (before: string) => string,
): AssistantMessage {
  const { content, tool_calls: calls } = message;
  const fenced = content.replaceAll(
    fence,
    (_, start: string, before: string, end: string) =>
      `${start}${replace(before)}\n${end.trimStart()}`,
  );
  const isBare = fenced === content && codesIn({ role: "assistant", content }).length > 0;
  const text = isBare ? replace(content) : fenced;
  if (calls === undefined) return Object.assign({}, message, { content: text });
  const changed = calls.map((call) => {
    const codes = Object.entries(codeArguments(call.function.arguments));
    if (codes.length === 0) return call;
    const inputs = JSON.parse(call.function.arguments) as object;
    const replaced = Object.fromEntries(codes.map(([key, code]) => [key, replace(code)]));
    const args = JSON.stringify(Object.assign(inputs, replaced));
    const called = { name: call.function.name, arguments: args };
    return { id: call.id, type: call.type, function: called };
  });
  return Object.assign({}, message, { content: text, tool_calls: changed });
}
