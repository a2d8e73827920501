import { anthropic } from "./anthropic.ts";
import { google } from "./google.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { SdkClient } from "./sdk-client.ts";

/** Every official SDK that the gateway serves. */
export const clients: readonly SdkClient[] = [openaiChat, openaiResponses, anthropic, google];

/** Each client, with streams and without. */
export const cases = clients.flatMap((client) =>
  [false, true].map((stream) => ({
    name: `${client.name}${stream ? ", streaming" : ""}`,
    client,
    stream,
  })),
);
