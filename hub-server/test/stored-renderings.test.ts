import { describe, expect, onTestFinished, test } from "vitest";

import { bareApp, registerRoutes } from "../src/app.ts";
import { renderVersions } from "../src/pages/package/render/render-versions.ts";
import { makeRenderer } from "../src/pages/package/render/renderer.ts";
import {
  dropOldRenderings,
  storedRenderings,
} from "../src/pages/package/render/stored-renderings.ts";
import type { StoredRenderings } from "../src/pages/package/render/stored-renderings.ts";
import { databases } from "./support/hub.ts";
import { publishOrThrow } from "./support/publish.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LOG: "silent" });
  const ada = sharedUser(server, "ada");

  const waiting = () =>
    server.hub.database.selectFrom("unrendered_versions").select("version_id").execute();
  /** Opens pages of the hub as after a restart: the hub itself has rendered them meanwhile on a busy machine. */
  const pages = async (): Promise<(path: string) => Promise<string>> => {
    const app = bareApp(server.hub);
    await registerRoutes(app, server.hub);
    onTestFinished(() => app.close());
    return async (path) => (await app.inject(`/package/@ada/shown${path}`)).body;
  };
  /** Replaces the stored results, so that a page shows that it did not render anything itself. */
  const mark = (from: string, to: string) =>
    server.hub.database
      .updateTable("renderings")
      .set(({ fn, ref, val }) => ({ result: fn("replace", [ref("result"), val(from), val(to)]) }))
      .execute();

  test("renders a published version, whose pages then only read", async () => {
    const { hub } = server;
    const files = (text: string) => ({
      "README.md": `# Title\n\nHello, *${text}*.\n`,
      "index.js": `export const one = "${text}";\n`,
    });
    await publishOrThrow(server, "@ada/shown", { as: ada, files: files("world") });
    await publishOrThrow(server, "@ada/shown", {
      as: ada,
      version: "1.1.0",
      files: files("moon"),
    });

    // On a busy machine, the start of the process alone may exceed the hub's limit.
    const renderer = makeRenderer(storedRenderings(hub), () => {}, 60_000);
    await renderVersions({ hub, renderer });
    await renderer.close();
    expect(await waiting()).toEqual([]);

    await mark("moon", "stored");
    const page = await pages();
    expect(await page("")).toContain("<em>stored</em>");
    expect(await page("/files/1.1.0/index.js")).toContain("stored");
    expect(await page("/diff/1.0.0...1.1.0")).toContain("stored");
    await mark("world", "kept");
    expect(await page("/v/1.0.0")).toContain("<em>kept</em>");
  });

  test("drops the oldest results beyond a size", async () => {
    const { hub } = server;
    const stored: StoredRenderings = storedRenderings(hub);
    await hub.database.deleteFrom("renderings").execute();
    for (const key of ["first", "second", "third"]) {
      await stored.write(key, { text: key });
      server.advanceClock(1000);
    }
    await stored.write("failed", undefined);
    await dropOldRenderings(hub, 40);
    expect(await stored.read("first")).toBeUndefined();
    expect(await stored.read("third")).toEqual({ result: { text: "third" } });
    expect(await stored.read("failed")).toEqual({ result: undefined });
  });
});
