import { hubClient } from "@envs/hub-client";
import { beforeAll, describe, expect, test } from "vitest";

import { recordedGroups } from "../src/rescoring/recorded-groups.ts";
import { databases } from "./support/hub.ts";
import { compressed, pushRun, testFile, testRollout, testRun } from "./support/runs.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const file = testFile(Buffer.from("\u{89}PNG…"), "png");
const drawing = testFile(Buffer.from("<svg onload='alert(1)'/>"), "svg");
const reference = `media/${file.part.file}`;

/** A rollout whose prompt has a picture. */
function rolloutWithPicture(example: number) {
  const content = [{ type: "image_url" as const, image_url: { url: reference } }];
  return { ...testRollout({ example }), prompt: [{ role: "user" as const, content }] };
}

describe.each(databases)("the files of a run on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LIMITS: "off" });
  const ada = sharedUser(server, "ada");
  let name = "";

  beforeAll(async () => {
    const scores = [{ name: "win", weight: 1, isGroup: false, range: [0, 1] as [number, number] }];
    name = (await seedEnvironment(server.hub, ada, { bare: "chess", manifest: { scores } })).name;
  });

  async function runWithFiles(test: number) {
    const run = await testRun(server, name, [rolloutWithPicture(0)], { details: { test } });
    const parts = [...run.parts, file, drawing];
    return { parts, upload: { ...run.upload, parts: parts.map(({ part }) => part) } };
  }

  test("are stored once for all runs, and replace references before a replay", async () => {
    const [one, two] = [
      await pushRun(server, ada, await runWithFiles(1)),
      await pushRun(server, ada, await runWithFiles(2)),
    ];
    const stored = await server.hub.database
      .selectFrom("run_parts")
      .where("run_id", "in", [one, two])
      .where("kind", "=", "media")
      .select("blob")
      .execute();
    expect([stored.length, new Set(stored.map(({ blob }) => blob)).size]).toEqual([4, 2]);
    const [group] = await Array.fromAsync(recordedGroups(server.hub, one));
    const base64 = Buffer.from(file.text).toString("base64");
    expect(group!.rollouts[0]!.prompt[0]!.content).toEqual([
      { type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } },
    ]);
  });

  test("are never sent as a page that a browser runs", async () => {
    const id = await pushRun(server, ada, await runWithFiles(3));
    const url = `${server.url}/run/${id}/rollouts/data/runs/${id}/media/${drawing.part.file}`;
    const { headers } = await fetch(url);
    expect(headers.get("content-type")).toBe("application/octet-stream");
    expect(headers.get("content-disposition")).toBe("attachment");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("are missing until they arrive with the announced content", async () => {
    const { upload, parts } = await runWithFiles(4);
    const client = hubClient({ url: server.url, token: ada.token });
    const { id } = await client.createRun(upload);
    const send = (part: number, content: (typeof parts)[number]) =>
      client.uploadRunPart({ run: id, part, content: compressed(content) });
    await send(0, parts[0]!);
    await expect(send(1, drawing)).rejects.toThrow("does not match its description");
    const { missing } = await send(1, file);
    expect(missing).toEqual([2]);
    await expect(client.completeRun({ run: id })).rejects.toThrow("lacks 1 of its parts: 2");
  });

  test("are rejected under another name than their hash", async () => {
    const { upload } = await runWithFiles(5);
    const parts = upload.parts.map((part) =>
      part.kind === "media" ? { ...part, file: `${"a".repeat(64)}.png` } : part,
    );
    const client = hubClient({ url: server.url, token: ada.token });
    await expect(client.createRun({ ...upload, parts })).rejects.toThrow("named by its SHA-256");
  });
});
