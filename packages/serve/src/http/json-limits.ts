import type { FastifyInstance } from "fastify";

/** The limits of JSON: checking larger values against a schema takes gigabytes and minutes, even if they have few bytes. */
const limits = { depth: 500, values: 2_000_000, keys: 10_000 };

class JsonLimitError extends Error {
  override readonly name = "JsonLimitError";
  readonly statusCode = 422;
}

/** Parses JSON request bodies within the limits. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const problem = jsonLimitProblem(String(body));
    if (problem === undefined) void parse(request, String(body), done);
    else done(new JsonLimitError(`The request body is too complex. ${problem}`));
  });
}

const quotationMark = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The limit that a JSON text exceeds, as a sentence; `undefined` if it exceeds none. Does not parse the text. */
export function jsonLimitProblem(text: string): string | undefined {
  if (text.length < limits.depth) return undefined;
  /** The number of keys of each open object. */
  const keys: number[] = [0];
  let values = 1;
  for (let at = 0; at < text.length; at += 1)
    switch (text.charCodeAt(at)) {
      case quotationMark:
        at = endOfString(text, at);
        break;
      case openBracket:
      case openBrace:
        values += 1;
        if (keys.push(0) > limits.depth) return `It has more than ${limits.depth} levels.`;
        break;
      case closeBracket:
      case closeBrace:
        keys.pop();
        break;
      case comma:
        values += 1;
        if (values > limits.values) return `It has more than ${limits.values} values.`;
        break;
      case colon:
        keys[keys.length - 1]! += 1;
        if (keys.at(-1)! > limits.keys) return `An object has more than ${limits.keys} keys.`;
        break;
      default:
    }
  return undefined;
}

/** The index of the closing quotation mark; the length of the text if the string is not closed. */
function endOfString(text: string, start: number): number {
  for (let end = start; ;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let before = end;
    while (text.charCodeAt(before - 1) === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
}
