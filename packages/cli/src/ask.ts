import { askChoice, askText, UsageError } from "@envs/terminal";

import { checkName, type Kind, kinds } from "./environments/scaffold.ts";

const onCancel = (): UsageError => new UsageError("Cancelled. No file was written.");

/** The prompts of `envs init` in a terminal. */
export const ask = {
  name: async (): Promise<string> =>
    await askText({
      message: "Name of the environment",
      placeholder: "word-length",
      validate: problemOf,
      onCancel,
    }),

  kind: async (): Promise<Kind> =>
    await askChoice({ message: "Kind of environment", choices: kinds, onCancel }),
};

function problemOf(name: string | undefined): string | undefined {
  try {
    checkName(name ?? "");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
