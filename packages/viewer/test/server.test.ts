import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { Workspace } from "../src/node/runs/workspace.ts";
import { startViewerServer } from "../src/node/server/viewer-server.ts";
import type { RunMessage } from "../src/run/run.ts";
import { browserNotes } from "../src/source/browser-notes.ts";
import { httpSource, serverNotes } from "../src/source/http-source.ts";
import { line, metadata, temporaryFolder, writeRun } from "./folders.ts";

async function serve(path: string) {
  const workspace = new Workspace();
  const { id } = workspace.open(path);
  const server = await startViewerServer({ workspace });
  onTestFinished(() => server.close());
  return { id, url: server.url, source: httpSource(`${server.url}data`, serverNotes) };
}

async function allMessages(
  source: ReturnType<typeof httpSource>,
  id: string,
): Promise<RunMessage[]> {
  const messages: RunMessage[] = [];
  const { signal } = new AbortController();
  await source.openRun(id, { signal, onMessage: (message) => messages.push(message) });
  return messages;
}

/** fetch does not send a Host header of another name. */
async function statusFor(
  url: string,
  headers: Record<string, string>,
): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    const { port, pathname } = new URL(url);
    request({ host: "127.0.0.1", port, path: pathname, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

describe("the viewer's server", () => {
  test("sends a run's head, its rows, and ends when the run is complete", async () => {
    const { source, id } = await serve(
      await writeRun(await temporaryFolder(), { lines: line(0) + line(1) }),
    );
    const messages = await allMessages(source, id);
    expect(messages.map(({ type }) => type)).toEqual(["head", "rows", "head", "ready"]);
    expect(messages[2]).toMatchObject({
      head: {
        environment: "search",
        rollouts: 2,
        scores: [
          { name: "exact", weight: 1 },
          { name: "calls", weight: 0 },
        ],
      },
    });
  });

  test("sends pictures of a run with their media type, and other files as downloads", async () => {
    const path = await writeRun(await temporaryFolder(), { lines: line(0) });
    const [png, svg] = [`${"a".repeat(64)}.png`, `${"b".repeat(64)}.svg`];
    await mkdir(join(path, "media"));
    for (const name of [png, svg]) await writeFile(join(path, "media", name), "<svg/>");
    const { source, id, url } = await serve(path);
    const picture = await fetch((await source.mediaAddress(id, png))!);
    expect(picture.headers.get("content-type")).toBe("image/png");
    expect(picture.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    const drawing = await fetch((await source.mediaAddress(id, svg))!);
    expect(drawing.headers.get("content-type")).toBe("application/octet-stream");
    expect(drawing.headers.get("content-disposition")).toBe("attachment");
    const outside = `${url}data/runs/${id}/media/..%2Fmetadata.json`;
    expect((await fetch(outside)).status).toBe(404);
  });

  test("sends the record of a row by its range of bytes", async () => {
    const path = await writeRun(await temporaryFolder(), {
      lines: line(0) + line(1, { answer: "Änne" }),
    });
    const { source, id } = await serve(path);
    const [, message] = await allMessages(source, id);
    if (message?.type !== "rows") throw new Error("no rows");
    const text = await source.readRecord(id, message.rows[1]!, new AbortController().signal);
    expect(JSON.parse(text)).toMatchObject({ example_id: 1, answer: "Änne" });
  });

  test("sends rows that are written while a reader follows the run", async () => {
    const path = await writeRun(await temporaryFolder(), { lines: line(0), is_complete: false });
    const { source, id } = await serve(path);
    const rows: string[] = [];
    const following = source.openRun(id, {
      signal: new AbortController().signal,
      onMessage(message) {
        if (message.type === "rows") rows.push(...message.rows.map((row) => row.id));
        if (message.type === "ready") void appendFile(join(path, "results.jsonl"), line(1));
        if (rows.includes("1-0"))
          void writeFile(
            join(path, "metadata.json"),
            JSON.stringify({ ...metadata, is_complete: true }),
          );
      },
    });
    await following;
    expect(rows).toEqual(["0-0", "1-0"]);
  });

  test("finds text in messages", async () => {
    const lines = line(0) + line(1, { completion: "Grace Hopper" });
    const { source, id } = await serve(await writeRun(await temporaryFolder(), { lines }));
    await allMessages(source, id);
    const matches = [];
    for await (const match of source.search(id, { text: "hopper" }, new AbortController().signal))
      matches.push(match);
    expect(matches).toEqual([
      { id: "1-0", message: 2, before: "Grace ", match: "Hopper", after: "" },
    ]);
  });

  test("stores notes beside the run", async () => {
    const path = await writeRun(await temporaryFolder(), { lines: line(0) });
    const { source, id } = await serve(path);
    await Promise.all([
      source.writeNote(id, { id: "0-0", text: "wrong tool" }),
      source.writeNote(id, { id: "1-0", text: "<b>" }),
    ]);
    await source.writeNote(id, { id: "1-0", text: " " });
    expect(await source.readNotes(id)).toEqual([{ id: "0-0", text: "wrong tool" }]);
    expect(JSON.parse(await readFile(join(path, "notes.json"), "utf8"))).toHaveLength(1);
  });

  test("rejects requests without the secret of its address", async () => {
    const { url } = await serve(await writeRun(await temporaryFolder(), { lines: line(0) }));
    const { origin } = new URL(url);
    expect((await fetch(`${origin}/data/runs`)).status).toBe(404);
    expect((await fetch(`${origin}/`)).status).toBe(404);
    expect((await fetch(`${url}data/runs`)).status).toBe(200);
  });

  test("rejects other host names and pages of other sites", async () => {
    const { url } = await serve(await writeRun(await temporaryFolder(), { lines: line(0) }));
    expect(await statusFor(`${url}data/runs`, { host: "evil.example" })).toBe(403);
    expect(await statusFor(`${url}data/runs`, { origin: "https://evil.example" })).toBe(403);
    expect(await statusFor(`${url}data/runs`, { "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await statusFor(`${url}data/runs`, {})).toBe(200);
  });

  test("rejects a range outside of the file, and runs and rollouts that do not exist", async () => {
    const { url, id } = await serve(await writeRun(await temporaryFolder(), { lines: line(0) }));
    const lines = `${url}data/runs/${id}/lines`;
    expect((await fetch(lines, { headers: { range: "bytes=999999-" } })).status).toBe(416);
    expect((await fetch(`${url}data/runs/..%2f..%2fetc/lines`)).status).toBe(404);
    expect((await fetch(`${url}data/runs/${id}/records/none`)).status).toBe(404);
  });

  test("reports why a run cannot be opened", async () => {
    const path = join(await temporaryFolder(), "log.json");
    await writeFile(path, "{");
    const { source, id } = await serve(path);
    await expect(allMessages(source, id)).rejects.toThrow(/not a complete JSON file/);
  });
});

test("notes of a page without storage live as long as the page", async () => {
  const notes = browserNotes(new Map([["r", [{ id: "0-0", text: "from the report" }]]]));
  await notes.write("", "r", { id: "1-0", text: "mine" });
  expect(await notes.read("", "r")).toEqual([
    { id: "0-0", text: "from the report" },
    { id: "1-0", text: "mine" },
  ]);
});
