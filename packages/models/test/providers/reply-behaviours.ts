import { completion, type ProviderBehaviour, sends } from "./behaviour.ts";

const error = (code: number | string, message: string): object => ({ error: { code, message } });
const call = (more: object): object => ({ type: "function", function: { name: "look", ...more } });
const calls = (...list: readonly object[]) =>
  sends(completion({ content: null, tool_calls: list }, { finish_reason: "tool_calls" }));
const called = (...list: readonly { readonly id: string; readonly arguments: string }[]) => ({
  reply: {
    finish: "tool_calls",
    message: {
      tool_calls: list.map(({ id, arguments: text }) => ({
        id,
        type: "function",
        function: { name: "look", arguments: text },
      })),
    },
  },
});

/** Unusual JSON in responses with status 200. */
export const replyBehaviours: readonly ProviderBehaviour[] = [
  {
    behaviour:
      '`finish_reason` is `"error"`, with an `error` in the choice, after a part of the text',
    by: "OpenRouter",
    effect: "fails the turn with the provider's error; retries as for its HTTP status",
    respond: sends(
      completion(
        { content: "The ans" },
        { finish_reason: "error", ...error(502, "Upstream failed") },
      ),
    ),
    outcome: { retried: "502 Upstream failed" },
    aiSdk: { retried: "finish reason" },
  },
  {
    behaviour: "an `error` in the choice is one that a retry cannot fix",
    by: "OpenRouter",
    effect: "fails the turn at once",
    respond: sends(
      completion({ content: "The" }, { finish_reason: "error", ...error(400, "Bad schema") }),
    ),
    outcome: { fails: "400 Bad schema" },
  },
  {
    behaviour:
      "`finish_reason` is `abort`, `network_error`, `insufficient_system_resource` or `error`, without an error",
    by: "vLLM, SGLang, GLM, DeepSeek, Mistral",
    effect: "fails the turn; retries",
    respond: sends(completion({ content: "The ans" }, { finish_reason: "abort" })),
    outcome: { retried: 'finish reason "abort"' },
    aiSdk: { retried: 'finish reason "abort"' },
  },
  {
    behaviour: "an `error` with the code 401 has the status 200",
    by: "OpenRouter, gateways",
    effect: "fails the turn at once as fatal, like the status 401",
    respond: sends(error(401, "No auth credentials found")),
    outcome: { fails: "rejected the API key (401 No auth", isFatal: true },
    aiSdk: { fails: "rejected the API key (401 No auth", isFatal: true },
  },
  {
    behaviour: "an `error` with the status 200 has a name as its code, such as `invalid_api_key`",
    by: "gateways",
    effect: "reads the name as its HTTP status",
    respond: sends(error("invalid_api_key", "Wrong key")),
    outcome: { fails: "rejected the API key (401 Wrong key)", isFatal: true },
    aiSdk: { fails: "rejected the API key (401 Wrong key)", isFatal: true },
  },
  {
    behaviour: "an `error` with the code 429 has the status 200",
    by: "OpenRouter, gateways",
    effect: "retries",
    respond: sends(error(429, "Rate limited")),
    outcome: { retried: "429 Rate limited" },
    aiSdk: { retried: "429 Rate limited" },
  },
  {
    behaviour: "an `error` stands beside a complete choice",
    by: "OpenRouter",
    effect: "fails the turn with the error",
    respond: sends(completion({ content: "The ans" }, {}, error(503, "Provider went away"))),
    outcome: { retried: "503 Provider went away" },
  },
  {
    behaviour: "the provider's own error is in `error.metadata.raw`",
    by: "OpenRouter",
    effect: "quotes it",
    respond: sends({
      error: {
        code: 502,
        message: "Provider returned error",
        metadata: { provider_name: "Acme", raw: '{"reason":"out of memory"}' },
      },
    }),
    outcome: { retried: 'Provider returned error: Acme: {"reason":"out of memory"}' },
  },
  {
    behaviour: "`finish_reason` is `content_filter`",
    by: "Azure, OpenAI",
    effect: "scores the turn and marks the rollout as filtered",
    respond: sends(completion({ content: "I" }, { finish_reason: "content_filter" })),
    outcome: { reply: { finish: "content_filter", message: { content: "I" } } },
    aiSdk: { reply: { finish: "content_filter", message: { content: "I" } } },
  },
  {
    behaviour: "`finish_reason` is `content_filter: …` or `safety`, and `message` is missing",
    by: "Gemini",
    effect: "the same, with an empty text",
    respond: sends(
      completion({}, { finish_reason: "content_filter: PROHIBITED_CONTENT", message: undefined }),
    ),
    outcome: { reply: { finish: "content_filter", message: { content: "" } } },
  },
  {
    behaviour: "`refusal` has the text, and `content` is `null`",
    by: "OpenAI",
    effect: "reads the refusal as the text, and marks the rollout as filtered",
    respond: sends(completion({ content: null, refusal: "I cannot." })),
    outcome: { reply: { finish: "content_filter", message: { content: "I cannot." } } },
  },
  {
    behaviour: "`finish_reason` is `max_tokens` or `model_length`",
    by: "Anthropic, Mistral",
    effect: "reads it as `length`: the rollout is truncated",
    respond: sends(completion({ content: "The ans" }, { finish_reason: "max_tokens" })),
    outcome: { reply: { finish: "length" } },
    aiSdk: { reply: { finish: "length" } },
  },
  {
    behaviour: "`finish_reason` is missing, `null` or unknown",
    by: "llama.cpp, proxies",
    effect: "reads it as `stop`",
    respond: sends(completion({ content: "hello" }, { finish_reason: "eos" })),
    outcome: { reply: { finish: "stop", message: { content: "hello" } } },
    aiSdk: { reply: { finish: "stop", message: { content: "hello" } } },
  },
  {
    behaviour: "`usage` is missing or `null`",
    by: "proxies",
    effect: "leaves the usage unknown; sums say for how many rollouts",
    respond: sends(completion()),
    outcome: { reply: { message: { content: "hello" }, usage: undefined } },
    aiSdk: { reply: { message: { content: "hello" }, usage: undefined } },
  },
  {
    behaviour: "the choices are not in the order of their `index`",
    by: "batching proxies, with `n` in `extraBody`",
    effect: "reads the choice with the index 0",
    respond: sends({
      choices: [
        { index: 1, finish_reason: "stop", message: { role: "assistant", content: "second" } },
        { index: 0, finish_reason: "stop", message: { role: "assistant", content: "first" } },
      ],
    }),
    outcome: { reply: { message: { content: "first" } } },
  },
  {
    behaviour: "`choices` is empty",
    by: "vLLM, Azure",
    effect: "retries",
    respond: sends({ ...completion(), choices: [] }),
    outcome: { retried: "not a chat completion" },
    aiSdk: { retried: "" },
  },
  {
    behaviour: "`content` is an array of parts; a part has the type `thinking`",
    by: "Mistral, gateways to Anthropic",
    effect: "joins the texts; the thoughts become `reasoning_content`",
    respond: sends(
      completion({
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "2 + 3" }] },
          { type: "text", text: "It is" },
          { type: "text", text: " 5." },
        ],
      }),
    ),
    outcome: { reply: { message: { content: "It is 5.", reasoning_content: "2 + 3" } } },
  },
  {
    behaviour: "`content` is `null` without tool calls",
    by: "most servers, if the model writes nothing",
    effect: "reads it as an empty text",
    respond: sends(completion({ content: null })),
    outcome: { reply: { finish: "stop", message: { content: "" } } },
    aiSdk: { reply: { finish: "stop", message: { content: "" } } },
  },
  {
    behaviour: "`content` is neither text nor an array, such as a number",
    by: "broken proxies",
    effect: "fails the turn instead of scoring an empty text; retries",
    respond: sends(completion({ content: 5 })),
    outcome: { retried: "not a chat completion" },
    aiSdk: { retried: "" },
  },
  {
    behaviour: "thoughts are in `reasoning_content`, `reasoning` or `reasoning_details`",
    by: "vLLM, DeepSeek; Ollama; OpenRouter",
    effect: "reads them as `reasoning_content`",
    respond: sends(completion({ content: "5", reasoning: "2 + 3" })),
    outcome: { reply: { message: { content: "5", reasoning_content: "2 + 3" } } },
    aiSdk: { reply: { message: { content: "5", reasoning_content: "2 + 3" } } },
  },
  {
    behaviour: "the `arguments` of a tool call are an object",
    by: "Ollama, older llama.cpp",
    effect: "writes them as JSON text",
    respond: calls({ id: "a", ...call({ arguments: { at: 1 } }) }),
    outcome: called({ id: "a", arguments: '{"at":1}' }),
  },
  {
    behaviour: "the `arguments` of a tool call are `null` or missing",
    by: "gateways, for tools without input",
    effect: "reads them as an empty text, which means `{}`",
    respond: calls({ id: "a", ...call({ arguments: null }) }),
    outcome: called({ id: "a", arguments: "" }),
  },
  {
    behaviour: "two tool calls have the same `id`",
    by: "Gemini, older vLLM",
    effect: "makes the ids unique in the conversation",
    respond: calls(
      { id: "a", ...call({ arguments: "{}" }) },
      { id: "a", ...call({ arguments: "[]" }) },
    ),
    outcome: called({ id: "a", arguments: "{}" }, { id: "a_2", arguments: "[]" }),
    aiSdk: called({ id: "a", arguments: "{}" }, { id: "a_2", arguments: "[]" }),
  },
  {
    behaviour: "a tool call has no `id`, or an empty one",
    by: "Gemini, Ollama",
    effect: "creates an id that is unique in the conversation",
    respond: calls(call({ arguments: "{}" }), { id: "", ...call({ arguments: "[]" }) }),
    outcome: called({ id: "call_1_0", arguments: "{}" }, { id: "call_1_1", arguments: "[]" }),
  },
  {
    behaviour: "`finish_reason` is `stop` although there are tool calls",
    by: "llama.cpp, Ollama",
    effect: "reads it as `tool_calls`",
    respond: sends(completion({ tool_calls: [{ id: "a", ...call({ arguments: "{}" }) }] })),
    outcome: called({ id: "a", arguments: "{}" }),
    aiSdk: called({ id: "a", arguments: "{}" }),
  },
];
