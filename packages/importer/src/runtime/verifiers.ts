import { assistantMessages, end, type Judge, type Message, text, user } from "@envs/core";

/** The state of a rollout: the fields that verifiers sets, and those of the environment. */
export type State = Record<string, any>;

/** Creates the state of a rollout from its example. */
export function newState(example: any): State {
  const { prompt, answer, info, task } = example;
  return { prompt, answer, info: info ?? {}, task, completion: [], trajectory: [], turn: 0 };
}

/** The state of a rollout with the messages since. */
export function stateOf(context: {
  readonly state: unknown;
  readonly judge?: Judge | undefined;
  readonly turns: number;
  readonly completion?: readonly Message[];
  readonly messages?: readonly Message[];
}): State {
  const state = context.state as State;
  const completion = context.completion ?? context.messages ?? [];
  state["completion"] = completion;
  state["turn"] = context.turns;
  if (context.judge !== undefined) judges.set(state, context.judge);
  state["trajectory"] = assistantMessages(completion).map((message) => ({ completion: [message] }));
  return state;
}

/** What `env_response` returned, as `respond` returns it. */
export function response(result: any, state: State): any {
  const messages = Array.isArray(result) && Array.isArray(result[0]) ? result[0] : result;
  const final = state["final_env_response"];
  if (final != null) return end(typeof final === "string" ? [user(final)] : final);
  return typeof messages === "string" ? messages : [...(messages ?? [])];
}

/** Judges of runs, by the states of their rollouts. */
const judges = new WeakMap<object, Judge>();

/** A prompt that contains {question}, {answer} and {response}, for the judge of the run. */
export class JudgeRubric {
  [name: string]: any;
  readonly template: string;

  constructor(template: string = judgePrompt) {
    this.template = template;
  }

  /** Asks the judge. Pass the state, which knows the judge of the run. */
  judge = async (prompt: any, completion: any, answer?: any, state?: any): Promise<string> => {
    const judge = state == null ? undefined : judges.get(state);
    if (judge === undefined) throw new Error("judge() needs the state of the rollout.");
    const fields: Record<string, string> = {
      question: textOf(Array.isArray(prompt) ? prompt.slice(-1) : prompt),
      answer: `${answer ?? ""}`,
      response: textOf(Array.isArray(completion) ? completion.slice(-1) : completion),
    };
    const content = this.template.replaceAll(
      /\{(\w+)\}/g,
      (whole, name: string) => fields[name] ?? whole,
    );
    const { message } = await judge({ messages: [user(content)] });
    return message.content;
  };
}

/** The prompt of a judge without a prompt. */
export const judgePrompt: string = `Decide whether a reply to a question agrees with the known answer.

The question: {question}

The known answer: {answer}

The reply: {response}

Write yes if it agrees, and no if it does not. Write nothing else.`;

function textOf(messages: any): string {
  if (typeof messages === "string") return messages;
  return messages.map(({ content }: any) => text(content)).join("\n");
}

/** What a subclass of an environment calls as `super()`: its options are properties. */
export class Environment {
  [name: string]: any;

  constructor(options: any = {}) {
    Object.assign(this, options);
  }

  setupState(state: any, ..._rest: any[]): any {
    return state;
  }

  isCompleted(..._rest: any[]): any {
    return false;
  }

  maxTurnsReached(state: any, ..._rest: any[]): any {
    return this["maxTurns"] > 0 && state.turn >= this["maxTurns"];
  }

  promptTooLong(..._rest: any[]): any {
    return false;
  }

  addTool(..._rest: any[]): any {}
}

/** What a subclass of a rubric calls as `super()`. */
export class Rubric {
  [name: string]: any;

  constructor(options: any = {}) {
    Object.assign(this, options);
  }

  addRewardFunc(..._rest: any[]): any {}
  addMetric(..._rest: any[]): any {}
  addClassObject(..._rest: any[]): any {}
}

/** Calls `create` once for each config of an environment. */
export function once<Config extends object, Parts>(
  create: (config: Config) => Parts,
): (config: Config) => Parts {
  const parts = new WeakMap<object, Parts>();
  return (config) => {
    if (!parts.has(config)) parts.set(config, create(config));
    return parts.get(config)!;
  };
}

/** The function `judge` that reward functions of a `JudgeRubric` take. */
export function judgeOf(
  context: { readonly state: unknown; readonly judge?: Judge | undefined },
  template: string = judgePrompt,
): (prompt: any, completion: any, answer?: any, state?: any) => Promise<string> {
  const state = context.state as State;
  if (context.judge !== undefined) judges.set(state, context.judge);
  const { judge } = new JudgeRubric(template);
  return (prompt, completion, answer) => judge(prompt, completion, answer, state);
}
