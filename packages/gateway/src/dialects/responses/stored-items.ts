import { HttpError } from "@envs/models/server";
import * as z from "zod";

import type { SessionMemory } from "../dialect.ts";
import { SharedLists } from "../shared-lists.ts";
import { type InputItem, item as itemSchema } from "./schema.ts";

interface Stored {
  readonly items: Map<string, InputItem>;
  readonly responses: Map<string, readonly InputItem[]>;
  readonly conversations: SharedLists<InputItem>;
}

/** The items that a session has sent and received, by id: OpenAI stores responses, and clients refer to them. */
export function storedItems(memory: SessionMemory): Stored {
  const existing = memory.get("responses") as Stored | undefined;
  if (existing !== undefined) return existing;
  const created: Stored = {
    items: new Map(),
    responses: new Map(),
    conversations: new SharedLists(),
  };
  memory.set("responses", created);
  return created;
}

/** Replaces references by the stored items. Throws an `HttpError` 400 for an id that this session has not seen. */
export function resolveItems(
  input: readonly InputItem[],
  previous: string | null | undefined,
  { items, responses, conversations }: Stored,
): readonly InputItem[] {
  const earlier = previous
    ? (responses.get(previous) ?? notFound("previous_response_id", previous))
    : [];
  const own = input.map((item) =>
    "id" in item ? (items.get(item.id) ?? notFound("input", item.id)) : item,
  );
  return conversations.share([...earlier, ...own]);
}

const replySchema = z.object({
  id: z.string(),
  output: z.array(z.looseObject({ id: z.string().nullish() })),
});

/** Stores the output of a reply to `input`, except for items of tools that the provider executes. */
export function storeReply(
  reply: unknown,
  input: readonly InputItem[],
  { items, responses }: Stored,
): void {
  const { data } = replySchema.safeParse(reply);
  const output = (data?.output ?? []).flatMap((raw) => {
    const parsed = itemSchema.safeParse(raw);
    return parsed.success ? [{ id: raw.id ?? "", item: parsed.data }] : [];
  });
  for (const { id, item } of output) items.set(id, item);
  if (data !== undefined) responses.set(data.id, [...input, ...output.map(({ item }) => item)]);
}

function notFound(field: string, id: string): never {
  throw new HttpError(
    400,
    `The request is not valid. ${field}: this rollout has no output with the id ${JSON.stringify(id)}. Send the items themselves.`,
    { field },
  );
}
