import { omitUndefined, type ServerReport } from "@envs/core/engine";
import * as z from "zod";

const text = z.string().nullish().catch(undefined);

/** The fields of a reply that name it: those of OpenAI and Anthropic, and those of Google. */
const named = z.object({ model: text, id: text, modelVersion: text, responseId: text });

/** Reads which model has replied, and the id of the reply. */
export function serverReport(reply: unknown, status: number): ServerReport {
  const { model, id, modelVersion, responseId } = named.safeParse(reply).data ?? {};
  return omitUndefined({
    status,
    model: model || modelVersion || undefined,
    responseId: id || responseId || undefined,
  });
}
