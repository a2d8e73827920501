import { type Environment, type Example, userMessage } from "@envs/core";
import {
  canonicalJson,
  contentHash,
  describeContent,
  examples,
  messageOf,
  splitsOf,
} from "@envs/core/engine";

/** A row as rules about datasets compare it. */
export interface RowText {
  readonly split: string;
  readonly key: string;
  readonly prompt: string;
  /** The prompt without case, punctuation marks and repeated spaces; blocks of code as they are. */
  readonly normal: string;
  /** The hash of everything but the id. */
  readonly content: string;
  /** The hash of everything but the id and the prompt: the answer, among others. */
  readonly rest: string;
}

/** The rows of a split, or why they cannot be read. */
export interface SplitRows {
  readonly name: string;
  readonly rows: readonly RowText[];
  readonly problem?: string | undefined;
}

/** The maximum number of rows: enough to reveal collisions, and few enough to compare in seconds. */
export const maxRows = 2000;

/** Reads the first rows of each split. */
export async function readSplits(
  environment: Environment,
  { seed, signal }: { readonly seed: number; readonly signal: AbortSignal },
): Promise<readonly SplitRows[]> {
  const names = await splitsOf(environment);
  const splits: SplitRows[] = [];
  for (const split of names.length === 0 ? [undefined] : names) {
    const rows: RowText[] = [];
    const name = split ?? "the dataset";
    try {
      for await (const { example, key } of examples(environment, { split, seed, count: maxRows })) {
        signal.throwIfAborted();
        rows.push({ split: name, key, ...textsOf(example) });
      }
      splits.push({ name, rows });
    } catch (error) {
      signal.throwIfAborted();
      splits.push({ name, rows: [], problem: messageOf(error) });
    }
  }
  return splits;
}

function textsOf(example: Example): Omit<RowText, "split" | "key"> {
  const { id: _, ...content } = example;
  const { prompt: _prompt, ...rest } = content;
  const messages =
    typeof example.prompt === "string" ? [userMessage(example.prompt)] : example.prompt;
  const prompt = messages.map((message) => describeContent(message.content)).join("\n");
  const hasMedia = messages.some((message) => typeof message.content !== "string");
  return {
    prompt,
    // Media are described by their size, so their bytes are compared.
    normal: hasMedia ? contentHash(canonicalJson(messages)) : normalized(prompt),
    content: contentHash(content),
    rest: contentHash(rest),
  };
}

export function normalized(text: string): string {
  return text
    .split("```")
    .map((part, index) => (index % 2 === 0 ? normalizedProse(part) : part))
    .join("```");
}

function normalizedProse(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}+*/=<>-]+/gu, " ")
    .trim();
}

/** Whether prompts identify examples. In a game, all prompts may be equal, because the difference is hidden. */
export function arePromptsDistinct(rows: readonly RowText[]): boolean {
  return new Set(rows.map(({ normal }) => normal)).size > rows.length / 2;
}

/** Which splits could not be read; empty if all were. */
export function unreadable(splits: readonly SplitRows[]): string {
  const names = splits.flatMap(({ name, problem }) => (problem === undefined ? [] : [name]));
  return names.length === 0 ? "" : `; not readable: ${names.join(", ")}`;
}
