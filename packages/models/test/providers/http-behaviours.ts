import { setTimeout as sleep } from "node:timers/promises";
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";

import { completion, type ProviderBehaviour, send, sends } from "./behaviour.ts";

const text = JSON.stringify(completion());
const hello = { reply: { message: { content: "hello" } } };
const html = { "content-type": "text/html" };
const page = `<!doctype html><html><head><title>502 Bad Gateway</title><style>${"p { color: red }\n".repeat(300)}</style></head>
<body><h1>Bad gateway</h1><p>The origin &quot;a&quot; is offline.</p></body></html>`;

const compressed = (coding: string, body: Buffer): ProviderBehaviour["respond"] =>
  sends(body, { headers: { "content-encoding": coding } });

/** Behaviours of servers and proxies at the level of HTTP. */
export const httpBehaviours: readonly ProviderBehaviour[] = [
  {
    behaviour: "the body is compressed with gzip, although the request does not ask for it",
    by: "proxies, CDNs",
    effect: "decompresses it",
    respond: compressed("gzip", gzipSync(text)),
    outcome: hello,
    aiSdk: hello,
  },
  {
    behaviour: "the body is compressed with Brotli",
    by: "proxies, CDNs",
    effect: "decompresses it",
    respond: compressed("br", brotliCompressSync(text)),
    outcome: hello,
    aiSdk: hello,
  },
  {
    behaviour: "the body is compressed twice, with deflate and gzip",
    by: "chains of proxies",
    effect: "decompresses it",
    respond: compressed("deflate, x-gzip", gzipSync(deflateSync(text))),
    outcome: hello,
  },
  {
    behaviour: "the body is compressed with deflate, without the header of zlib",
    by: "IIS",
    effect: "decompresses it",
    respond: compressed("deflate", deflateRawSync(text)),
    outcome: hello,
  },
  {
    behaviour: "the body is compressed with Zstandard",
    by: "Cloudflare",
    effect: "decompresses it",
    respond: compressed("zstd", zstdCompressSync(text)),
    outcome: hello,
  },
  {
    behaviour: "the body is compressed with another coding",
    by: "misconfigured proxies",
    effect: "fails the run with the name of the coding",
    respond: compressed("compress", Buffer.from(text)),
    outcome: { fails: "compressed its response with compress", isFatal: true },
  },
  {
    behaviour: "the compressed body is damaged",
    by: "proxies that compress twice, or not at all",
    effect: "retries",
    respond: compressed("gzip", Buffer.from(text)),
    outcome: { retried: "not valid gzip" },
  },
  {
    behaviour: "the body of an error is an HTML page",
    by: "nginx, Cloudflare, load balancers",
    effect: "quotes title and text, at most 300 characters",
    respond: sends(page, { status: 502, headers: html }),
    outcome: {
      retried: '502 an HTML page, "502 Bad Gateway": Bad gateway The origin "a" is offline.',
    },
    aiSdk: {
      retried: "502 ",
    },
  },
  {
    behaviour: "an HTML page has the status 200",
    by: "login pages, wrong base URLs",
    effect: "retries, then fails the turn with the title",
    respond: sends("<title>Sign in</title>", { headers: html }),
    outcome: { retried: 'is not JSON: an HTML page, "Sign in"' },
    aiSdk: { retried: "" },
  },
  {
    behaviour: "the body of a 5xx status is JSON",
    by: "all",
    effect: "retries, and quotes the message",
    respond: sends({ error: { message: "Bad gateway" } }, { status: 502 }),
    outcome: { retried: "502 Bad gateway" },
    aiSdk: { retried: "502 Bad gateway" },
  },
  {
    behaviour: "an error has another format: an array, `detail`, `message`, `error` as text",
    by: "Gemini; FastAPI; AWS; Ollama",
    effect: "quotes the message",
    respond: sends([{ error: { code: 400, message: "Bad tools", status: "INVALID_ARGUMENT" } }], {
      status: 400,
    }),
    outcome: { fails: "rejected the request: 400 Bad tools" },
    aiSdk: { fails: "rejected the request: 400 Bad tools" },
  },
  {
    behaviour: "the status for an invalid API key is 400",
    by: "Gemini",
    effect: "fails the run at once as fatal, like the status 401",
    respond: sends(
      [{ error: { code: 400, message: "API key not valid. Please pass a valid API key." } }],
      { status: 400 },
    ),
    outcome: { fails: "rejected the API key", isFatal: true },
    aiSdk: { fails: "rejected the API key", isFatal: true },
  },
  {
    behaviour: "the status is 402",
    by: "OpenRouter, DeepSeek",
    effect: "fails the run at once: the account has no credit",
    respond: sends({ error: { message: "Insufficient Balance" } }, { status: 402 }),
    outcome: { fails: "exceeded its quota (402 Insufficient Balance)", isFatal: true },
    aiSdk: { fails: "exceeded its quota (402 Insufficient Balance)", isFatal: true },
  },
  {
    behaviour: "the status is 403 because moderation flagged the prompt",
    by: "OpenRouter",
    effect: "fails this turn only",
    respond: sends(
      { error: { code: 403, message: "Your input was flagged", metadata: { reasons: ["x"] } } },
      { status: 403 },
    ),
    outcome: { fails: "refused the prompt because of its content" },
    aiSdk: { fails: "refused the prompt because of its content" },
  },
  {
    behaviour: "a 429 or 5xx status has `Retry-After` as a number or a date, or `retry-after-ms`",
    by: "OpenAI, gateways",
    effect: "waits that long, at most two minutes",
    respond: sends(
      { error: { message: "Slow down" } },
      { status: 429, headers: { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" } },
    ),
    outcome: { retried: "429 Slow down" },
    aiSdk: { retried: "429 Slow down" },
  },
  {
    behaviour: "the status is 407",
    by: "HTTP proxies",
    effect: "fails the run at once: the proxy needs credentials",
    respond: sends("", { status: 407 }),
    outcome: { fails: "requires credentials (407)", isFatal: true },
  },
  {
    behaviour: "the status is 307 or 308, with a `Location` of the same origin",
    by: "FastAPI, nginx",
    effect: "sends the request there, up to five times",
    respond: sends("", { status: 307, headers: { location: "/v2/chat/completions?a=1" } }),
    outcome: { ...hello, requests: 2 },
    aiSdk: { ...hello, requests: 2 },
  },
  {
    behaviour: "the status is 307 or 308, with a `Location` of another origin",
    by: "moved services, captive portals",
    effect: "fails the run at once: the key is not sent to another origin",
    respond: sends("", { status: 308, headers: { location: "https://example.com/v1?key=1" } }),
    outcome: { fails: "to https://example.com/v1 (308). The API key is not sent", isFatal: true },
  },
  {
    behaviour: "the status is 301, 302 or 303",
    by: "web servers that redirect to https or to a login page",
    effect: "fails the run at once, with the address",
    respond: sends("", { status: 301, headers: { location: "/login" } }),
    outcome: { fails: "A POST request cannot follow this redirect.", isFatal: true },
  },
  {
    behaviour:
      "the body is a stream of server-sent events, although the request does not ask for it",
    by: "proxies that always stream",
    effect: "fails the turn at once",
    respond: sends('data: {"choices":[]}\n\ndata: [DONE]\n\n', {
      headers: { "content-type": "text/event-stream" },
    }),
    outcome: { fails: "streams its response, although the request does not ask" },
  },
  {
    behaviour:
      "a byte order mark, or white space that keeps the connection open, precedes the JSON",
    by: "IIS; OpenRouter",
    effect: "ignores it",
    respond: sends(`\uFEFF\n  \n${text}`),
    outcome: hello,
  },
  {
    behaviour: "`Content-Length` is larger than the body, and the connection closes",
    by: "crashing servers",
    effect: "retries",
    respond: (response) => {
      response.writeHead(200, { "content-length": "9999" });
      response.write(text, () => response.destroy());
    },
    outcome: { retried: "closed before the response was complete" },
  },
  {
    behaviour: "`Content-Length` is smaller than the body",
    by: "proxies that rewrite bodies",
    effect: "retries",
    respond: (response) => {
      response.socket!.end(`HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n${text}`);
    },
    outcome: { retried: "" },
  },
  {
    behaviour: "a chunked body ends in its middle",
    by: "crashing servers, proxies with a time limit",
    effect: "retries",
    respond: (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(text.slice(0, 40), () => response.destroy());
    },
    outcome: { retried: "closed before the response was complete" },
    aiSdk: { retried: "" },
  },
  {
    behaviour: "an idle connection closes while the next request is being sent",
    by: "all, after their keep-alive timeout",
    effect: "sends the request again, once, without counting a retry",
    earlier: 1,
    respond: (response) => void response.socket!.destroy(),
    outcome: { ...hello, requests: 2 },
  },
  {
    behaviour: "the body arrives slowly, within the timeout",
    by: "overloaded servers",
    effect: "waits",
    async respond(response) {
      response.writeHead(200, { "content-length": text.length });
      for (let start = 0; start < text.length; start += 20) {
        response.write(text.slice(start, start + 20));
        await sleep(5);
      }
      response.end();
    },
    outcome: hello,
    aiSdk: hello,
  },
  {
    behaviour: "the body arrives slowly, and not within the timeout",
    by: "overloaded servers",
    effect: "retries after `timeout`, which includes the body",
    options: { timeout: 2500 },
    async respond(response) {
      response.writeHead(200);
      while (!response.destroyed) {
        response.write(" ");
        await sleep(20);
      }
    },
    outcome: { retried: "did not respond completely within 2500 ms" },
  },
  {
    behaviour: "the body has more than 64 MiB",
    by: "wrong addresses, broken servers",
    effect: "fails the turn at once and closes the connection",
    respond(response) {
      response.writeHead(200);
      const chunk = Buffer.alloc(2 ** 20, " ");
      const write = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    },
    outcome: { fails: "exceeds the limit of 64 MiB" },
  },
  {
    behaviour: "the body has more than 64 MiB after its decompression",
    by: "attackers",
    effect: "fails the turn at once",
    respond: (response) =>
      send(response, gzipSync(Buffer.alloc(65 * 2 ** 20), { level: 1 }), {
        headers: { "content-encoding": "gzip" },
      }),
    outcome: { fails: "exceeds the limit of 64 MiB" },
  },
  {
    behaviour: "the API key is repeated in an error",
    by: "gateways",
    effect: "replaces it with `[API key]` in messages and records",
    respond: sends({ error: { message: "Unknown key sk-0123456789" } }, { status: 401 }),
    outcome: { fails: "Unknown key [API key]", isFatal: true },
  },
];
