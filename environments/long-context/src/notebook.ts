import type { AskSubModel } from "@envs/core";
import {
  javascript,
  type Json,
  python,
  type RunResult,
  type Sandbox,
  type SandboxProvider,
} from "@envs/sandbox";

/** The way in which code of a language reads the text and calls many sub-models at once. */
interface Language {
  readonly provider: SandboxProvider;
  readonly prelude: string;
  readonly askMany: string;
}

export const languages: Readonly<Record<"javascript" | "python", Language>> = {
  javascript: {
    provider: javascript(),
    prelude: 'globalThis.text = require("fs").readFileSync("text.txt", "utf8");',
    askMany: "askAll",
  },
  python: {
    provider: python(),
    prelude: 'text = open("text.txt").read()',
    askMany: "ask_all",
  },
};

interface NotebookOptions {
  readonly language: Language;
  readonly text: string;
  /** The longest prompt of a sub-model, in characters. */
  readonly maxPrompt: number;
  readonly subModel: AskSubModel;
  readonly signal: AbortSignal;
}

/** A sandbox that holds a text. Its code asks the sub-model as a function. It starts with the first run. */
export class Notebook implements AsyncDisposable {
  /** The number of prompts that code has sent. */
  asked = 0;
  readonly #options: NotebookOptions;
  #sandbox: Promise<Sandbox> | undefined;

  constructor(options: NotebookOptions) {
    this.#options = options;
  }

  /** Runs code, and returns what it printed and its value, cut to `maxOutput` characters. */
  async run(code: string, maxOutput: number): Promise<string> {
    const sandbox = await (this.#sandbox ??= this.#open());
    const result = await sandbox.run(code);
    if (result.reset) await sandbox.run(this.#options.language.prelude);
    const output = outputOf(result);
    if (output.length <= maxOutput) return output;
    return `${output.slice(0, maxOutput)}\n… ${output.length - maxOutput} more characters. Print less.`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The run reports that the sandbox cannot start.
    const sandbox = await this.#sandbox?.catch(() => undefined);
    await sandbox?.[Symbol.asyncDispose]();
  }

  async #open(): Promise<Sandbox> {
    const { language, text, signal } = this.#options;
    const ask = (prompt: Json | undefined) => this.#ask(prompt);
    const sandbox = await language.provider.create({
      files: { "text.txt": text },
      functions: {
        ask,
        [language.askMany]: (prompts) =>
          Array.isArray(prompts) ? Promise.all(prompts.map(ask)) : "Error: pass a list of prompts.",
      },
      signal,
    });
    await sandbox.run(language.prelude);
    return sandbox;
  }

  /** Answers a question of untrusted code. Returns an explanation for a wrong prompt or an empty budget. */
  async #ask(prompt: Json | undefined): Promise<string> {
    const { subModel, maxPrompt } = this.#options;
    if (typeof prompt !== "string") return "Error: a prompt is text.";
    this.asked += 1;
    if (prompt.length > maxPrompt)
      return `Error: the prompt has ${prompt.length} characters. The sub-model reads ${maxPrompt}.`;
    return (await subModel(prompt)).text;
  }
}

function outputOf({ stdout, stderr, value, timedOut, outOfMemory, reset }: RunResult): string {
  const shown = value === undefined || value === null ? "" : asText(value);
  const problems = [
    timedOut ? "The code ran out of time." : "",
    outOfMemory ? "The code ran out of memory." : "",
    reset ? "All variables are lost; text is as before." : "",
  ];
  const parts = [stdout, stderr, ...problems, shown].filter((part) => part.trim() !== "");
  return parts.join("\n").trimEnd() || "(no output)";
}

function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
