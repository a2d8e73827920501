import type { IncomingMessage, ServerResponse } from "node:http";

import { fieldsOf, textOf } from "@envs/records";

import { isMediaFile, shownType } from "../../record/media.ts";
import { followRun } from "../runs/follow-run.ts";
import { readNotes, writeNote } from "../runs/notes.ts";
import { readMedia } from "../runs/read-media.ts";
import type { RunReader, VocabularyOf } from "../runs/run-reader.ts";
import { searchRun } from "../runs/search-run.ts";
import type { Workspace } from "../runs/workspace.ts";
import { sendRange } from "./ranges.ts";
import { sendBody, sendJson, sendLines, sendText } from "./responses.ts";

interface DataRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Begins with `/data/`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

type RunRequest = DataRequest & { readonly reader: RunReader; readonly rest: string };

/** The routes below `/data`. The table in the package's README describes them. */
export function dataRoutes(
  workspace: Workspace,
  vocabularyOf: VocabularyOf = async () => undefined,
): (request: DataRequest) => Promise<void> {
  return async (data) => {
    const { request, response, path } = data;
    if (path === "/data/runs") return sendJson(response, await workspace.list());
    const [, id = "", rest = ""] = /^\/data\/runs\/([^/]+)\/(.+)$/u.exec(path) ?? [];
    const reader = await workspace.find(id);
    if (reader === undefined) return sendText(response, 404, `There is no run ${id}.`);
    if (request.method === "PUT" && rest.startsWith("notes/"))
      return await putNote({ ...data, reader, rest });
    if (rest === "vocabulary") return sendJson(response, (await vocabularyOf(reader)) ?? []);
    if (request.method !== "GET") return sendText(response, 405, "The route only has GET.");
    await sendRun({ ...data, reader, rest });
  };
}

async function sendRun({ request, response, query, reader, rest }: RunRequest): Promise<void> {
  const controller = new AbortController();
  response.on("close", () => controller.abort());
  if (rest === "events") return await sendLines(response, followRun(reader, controller.signal));
  if (rest === "lines" && reader.linesPath !== undefined)
    return await sendRange(request, response, reader.linesPath);
  if (rest === "search")
    return await sendLines(response, searchRun(reader, query.get("text") ?? "", controller.signal));
  if (rest === "notes") return sendJson(response, await readNotes(reader));
  const [, file = ""] = /^media\/([^/]+)$/u.exec(rest) ?? [];
  if (isMediaFile(file)) return await sendMedia(response, reader, file);
  const [, row = ""] = /^records\/([^/]+)$/u.exec(rest) ?? [];
  const found = reader.rows.findLast(({ id }) => id === row);
  if (found === undefined) return sendText(response, 404, `The run has no rollout ${row}.`);
  const body = await reader.readRecord(found);
  sendBody(response, { type: "application/json; charset=utf-8", body });
}

/** The headers of media. Browsers may cache a file, which is named by its hash, and no page runs its content. */
const mediaHeaders = {
  "cache-control": "private, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; sandbox",
} as const;

async function sendMedia(response: ServerResponse, reader: RunReader, file: string): Promise<void> {
  const body = await readMedia(reader, file);
  if (body === undefined) return sendText(response, 404, `The run has no file ${file}.`);
  const type = shownType(file);
  const more = { ...mediaHeaders, ...(type ? {} : { "content-disposition": "attachment" }) };
  sendBody(response, { type: type ?? "application/octet-stream", body, more });
}

const maxBody = 100_000;

async function putNote({ request, response, reader, rest }: RunRequest): Promise<void> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) return sendText(response, 413, `A note has at most ${maxBody} bytes.`);
    chunks.push(chunk);
  }
  let text: string | undefined;
  try {
    text = textOf(fieldsOf(JSON.parse(Buffer.concat(chunks).toString("utf8")))["text"]);
  } catch {
    // Ignores a body that is not JSON.
  }
  if (text === undefined) return sendText(response, 400, 'The body is not {"text": "…"}.');
  await writeNote(reader, { id: decodeURIComponent(rest.slice("notes/".length)), text });
  response.writeHead(204).end();
}
