import { imagePart, type Message, userMessage } from "@envs/core";

import { png } from "../../../core/test/media-bytes.ts";
import { completion, type ProviderBehaviour, type Respond, send, sends } from "./behaviour.ts";

const shown: readonly Message[] = [
  userMessage([{ type: "text", text: "Which colour?" }, imagePart(png)]),
];

const seen: readonly Message[] = [
  userMessage("Look."),
  {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "c", content: [imagePart(png)] },
];

interface SentMessage {
  readonly role: string;
  readonly content?: string | null | readonly { readonly type: string }[];
}

/** Rejects images outside of user messages with OpenAI's error. */
const rejectsToolImages: Respond = (response, _url, body) => {
  const { messages } = JSON.parse(body) as { readonly messages: readonly SentMessage[] };
  const isImage = ({ type }: { readonly type: string }): boolean => type === "image_url";
  const at = messages.findIndex(
    ({ role, content }) => role === "tool" && Array.isArray(content) && content.some(isImage),
  );
  const last = messages.at(-1)!;
  const isShown = last.role === "user" && Array.isArray(last.content) && last.content.some(isImage);
  if (at < 0 && isShown) return send(response, completion());
  const message = `Invalid 'messages[${at}]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.`;
  return send(response, { error: { message } }, { status: 400 });
};

/** Behaviours of servers for messages with media. */
export const mediaBehaviours: readonly ProviderBehaviour[] = [
  {
    behaviour: "messages of the role `tool` can contain text only",
    by: "OpenAI, vLLM, LM Studio",
    effect: "sends the images of tool results in a user message after the results of the turn",
    messages: seen,
    respond: rejectsToolImages,
    outcome: { reply: { message: { content: "hello" } } },
    aiSdk: { reply: { message: { content: "hello" } } },
  },
  {
    behaviour: "the status is 400 because the model reads text only",
    by: "vLLM, OpenAI, Tinker",
    effect: "fails the turn at once",
    messages: shown,
    respond: sends({ error: { message: "small is not a multimodal model" } }, { status: 400 }),
    outcome: { fails: "small is not a multimodal model" },
    aiSdk: { fails: "small is not a multimodal model" },
  },
  {
    behaviour: "`prompt_token_ids` has a placeholder for each feature of an image",
    by: "vLLM",
    effect: "records them, and their ranges if the response has `mm_placeholders`",
    messages: shown,
    respond: sends(
      completion(
        { content: "red" },
        { token_ids: [7], logprobs: { content: [{ logprob: -0.5 }] } },
        {
          prompt_token_ids: [1, 9, 9, 9, 2],
          mm_placeholders: { image: [{ offset: 1, length: 3 }] },
        },
      ),
    ),
    outcome: {
      reply: {
        tokens: {
          promptIds: [1, 9, 9, 9, 2],
          placeholders: { image: [{ offset: 1, length: 3 }] },
          completionIds: [7],
          completionLogprobs: [-0.5],
        },
      },
    },
  },
];
