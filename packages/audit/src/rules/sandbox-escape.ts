import { availableParallelism, loadavg } from "node:os";
import { setTimeout as wait } from "node:timers/promises";

import { callTools, type Requirement, textOf } from "@envs/core";
import {
  checkRequirements,
  episode,
  messageOf,
  requirementsOf,
  type ToolSpec,
} from "@envs/core/engine";

import { type Conversation, excerpt } from "../conversation.ts";
import { counted, type Evidence, notTried, outcome, type Rule } from "../rule.ts";
import { type Attack, attacksIn } from "../sandbox/attacks.ts";
import { type Canaries, placeCanaries } from "../sandbox/canaries.ts";
import type { Subject } from "../subject.ts";

/** The part of a provider of @envs/sandbox that attacks use. */
interface Provider extends Requirement {
  readonly traits: { readonly name: string; readonly language: string };
  create(options: { readonly limits: { readonly ms: number } }): Promise<
    AsyncDisposable & {
      run(
        code: string,
      ): Promise<{ readonly stdout: string; readonly stderr: string; readonly value: unknown }>;
    }
  >;
}

const limit = 2000;

/** How long a loop may last: 20 seconds, and on a machine with more work than processors as many times that. */
function maxTime(): number {
  return 20_000 * Math.max(1, loadavg()[0]! / availableParallelism());
}

/** Names of inputs that take code. */
export const codeInputs =
  /^(?:code|command|cmd|script|program|source|sql|query|expression|input)$/i;

export const sandboxEscape: Rule = {
  id: "sandbox-escape",
  severity: "high",
  asks: "Code of a model cannot leave its sandbox.",
  decides:
    "Code in the language of each required sandbox tries to read a file and an environment variable of this machine, to connect to a local server, to kill its parent and to loop forever: in a new sandbox of the provider, and through each tool whose input is called code, command, script, sql or the like. A finding is a secret in the output, a connection, or a run that does not end 20 seconds after its limit of 2, on a busy machine later.",
  remedy:
    "Use a provider of @envs/sandbox, and pass it no function that reads files or connects for the code.",

  async check(subject) {
    const providers = requirementsOf(subject.environment).filter(isProvider);
    if (providers.length === 0) return notTried("it requires no sandbox");
    try {
      await checkRequirements(subject.environment);
    } catch (error) {
      return notTried(messageOf(error));
    }
    await using canaries = await placeCanaries();
    const found = new Map<string, Evidence>();
    let tried = 0;
    for (const { traits, run } of [
      ...providers.map((provider) => ({ traits: provider.traits, run: inSandbox(provider) })),
      ...(await throughTools(subject, providers)),
    ])
      for (const attack of attacksIn(traits.language, canaries)) {
        tried += 1;
        const problem = await escapeOf(run, attack, canaries);
        if (problem === undefined || found.has(attack.target)) continue;
        found.set(attack.target, {
          variant: attack.target,
          message: `Code in ${traits.name} ${problem.message}`,
          conversations: [problem.conversation],
        });
      }
    return outcome(counted(tried, "attack"), [...found.values()]);
  },
};

type Run = (code: string) => Promise<string>;

function isProvider(requirement: Requirement): requirement is Provider {
  return "traits" in requirement && "create" in requirement;
}

function inSandbox(provider: Provider): Run {
  return async (code) => {
    await using sandbox = await provider.create({ limits: { ms: limit } });
    const { stdout, stderr, value } = await sandbox.run(code);
    return [stdout, stderr, JSON.stringify(value)].join("\n");
  };
}

/** The tools of the environment that take code, each in its own episode. */
async function throughTools(subject: Subject, [first]: readonly Provider[]) {
  const [one] = subject.cases;
  if (one === undefined || first === undefined) return [];
  const { keyed } = one;
  const open = () =>
    episode(subject.environment, keyed.example, { key: keyed.key, seed: subject.seed });
  const opened = open();
  const tools: readonly ToolSpec[] = await opened
    .start()
    .then(() => opened.tools)
    .finally(() => opened.close());
  return tools.flatMap(({ name, parameters }) => {
    const input = Object.keys(parameters["properties"] ?? {}).find((key) => codeInputs.test(key));
    if (input === undefined) return [];
    const run: Run = async (code) => {
      const main = open();
      try {
        await main.start();
        const { messages } = await main.step(callTools([[name, { [input]: code }]]));
        return messages.map(({ content }) => textOf(content)).join("\n");
      } finally {
        await main.close();
      }
    };
    return [{ traits: { ...first.traits, name: `the tool ${name}` }, run }];
  });
}

async function escapeOf(
  run: Run,
  { target, code }: Attack,
  { secret, connections }: Canaries,
): Promise<{ readonly message: string; readonly conversation: Conversation } | undefined> {
  const before = connections();
  const controller = new AbortController();
  const time = maxTime();
  const late = wait(time, "late" as const, { signal: controller.signal }).catch(
    () => "late" as const,
  );
  const output = await Promise.race([run(code).catch(messageOf), late]);
  controller.abort();
  const message =
    connections() > before
      ? "connected to a server of this machine"
      : output.includes(secret)
        ? `read a secret of this machine (${target})`
        : target === "time" && output === "late"
          ? `still ran ${Math.round(time / 1000)} seconds later, with a limit of ${limit / 1000}`
          : undefined;
  if (message === undefined) return undefined;
  return {
    message,
    conversation: excerpt(`an attack on ${target}`, "", [
      { role: "assistant", content: code },
      { role: "tool", tool_call_id: "attack", content: output },
    ]),
  };
}
