import { assistantMessage, ConfigError, type Example, type Message } from "@envs/core";
import { jsonLines } from "@envs/records/node";
import * as z from "zod";

const message = z.custom<Message>(
  (value) => z.object({ role: z.string() }).safeParse(value).success,
  "is not a chat message",
);
const prompt = z.union([z.string(), z.array(message)]);

const line = z
  .looseObject({
    example: z.looseObject({ prompt }),
    reply: z.string().optional(),
    completion: z.array(message).optional(),
    label: z.union([z.string(), z.number(), z.boolean()]),
  })
  .refine(({ reply, completion }) => (reply === undefined) !== (completion === undefined), {
    error: "must have either reply, a text, or completion, the messages after the prompt",
  });

/** A reply that a person has judged. */
export interface LabelledReply {
  readonly example: Example;
  readonly completion: readonly Message[];
  /** The score that the person gave. */
  readonly label: number;
}

/**
 * Reads labelled replies: JSONL with `example`, `reply` or `completion`, and `label`, a choice of the judge or a score. A row of
 * `results.jsonl` with a label is valid. Throws a `ConfigError` that names the line.
 */
export async function readLabelledReplies(
  file: string,
  choices: Readonly<Record<string, number>> | undefined,
): Promise<readonly LabelledReply[]> {
  const replies: LabelledReply[] = [];
  for await (const { example, reply, completion, label } of jsonLines(file, line))
    replies.push({
      example,
      completion: completion ?? [assistantMessage(reply!)],
      label: valueOf(label, choices, `Labelled reply ${replies.length + 1} of ${file}`),
    });
  if (replies.length === 0) throw new ConfigError(`${file} has no labelled replies.`);
  const [first] = replies;
  if (replies.every(({ label }) => label === first!.label))
    throw new ConfigError(
      `All ${replies.length} labels of ${file} are the same, so a judge that always gives this verdict would agree with all of them. Add replies with other labels.`,
    );
  return replies;
}

function valueOf(
  label: string | number | boolean,
  choices: Readonly<Record<string, number>> | undefined,
  place: string,
): number {
  if (typeof label === "number" || typeof label === "boolean") {
    const value = Number(label);
    if (choices === undefined || Object.values(choices).includes(value)) return value;
  } else if (choices !== undefined && Object.hasOwn(choices, label)) return choices[label]!;
  const allowed =
    choices === undefined
      ? "a number, because the verdict is not one of several choices"
      : `one of ${Object.keys(choices).join(", ")}`;
  throw new ConfigError(`${place} has the label ${JSON.stringify(label)}. It must be ${allowed}.`);
}
