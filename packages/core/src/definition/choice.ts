import { RolloutError } from "../errors.ts";

/** A legal reply, and what a person reads on its button. */
export interface Choice {
  /** The whole reply, such as `<move>4</move>`. */
  readonly reply: string;
  /** A few words, such as `4` or `Take two`. Default: the reply. */
  readonly label?: string | undefined;
}

/** A legal reply with its label. */
export type LabelledChoice = { readonly [Key in keyof Choice]-?: NonNullable<Choice[Key]> };

/** Reads what `choices` returned. Throws a `RolloutError` for other values than a list of replies. */
export function readChoices(value: unknown): readonly LabelledChoice[] {
  if (!Array.isArray(value)) throw notChoices(typeof value);
  return value.map((item: unknown) => {
    const choice = typeof item === "string" ? { reply: item } : (item ?? {});
    const { reply, label = reply } = choice as { reply?: unknown; label?: unknown };
    if (typeof reply === "string" && typeof label === "string") return { reply, label };
    throw notChoices(`a list with ${JSON.stringify(item) ?? typeof item}`);
  });
}

function notChoices(actual: string): RolloutError {
  return new RolloutError(
    "environment",
    `choices returned ${actual}. It must return a list of replies: texts, or objects such as { reply: "<move>4</move>", label: "4" }.`,
  );
}
