import { isCancel, select, text } from "@clack/prompts";

import { checkName, type Kind, kinds } from "./environments/scaffold.ts";
import { UsageError } from "./exit.ts";

/** The questions of `envs init`, for whoever sits at a terminal. */
export const ask = {
  name: async (): Promise<string> =>
    answered(
      await text({ message: "What is its name?", placeholder: "word-length", validate: problemOf }),
    ),

  kind: async (): Promise<Kind> =>
    answered(
      await select({
        message: "What is it like?",
        options: Object.entries(kinds).map(([value, hint]) => ({
          value: value as Kind,
          label: value,
          hint,
        })),
      }),
    ),
};

function problemOf(name: string | undefined): string | undefined {
  try {
    checkName(name ?? "");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function answered<Value>(answer: Value): Exclude<Value, symbol> {
  if (isCancel(answer)) throw new UsageError("Nothing was written.");
  return answer as Exclude<Value, symbol>;
}
