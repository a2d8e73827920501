import { beforeAll, describe, expect, it } from "vitest";

import { publishEnvironment } from "../rescoring/published-environment.ts";
import { browser } from "../support/browser.ts";
import { anyDatabase } from "../support/hub.ts";
import { makePerson, type Person } from "../support/person.ts";
import { publishOrThrow } from "../support/publish.ts";
import { sharedHub } from "../support/shared-hub.ts";

const server = sharedHub(anyDatabase, { HUB_LIMITS: "off" });
const path = "/package/@ada/tictactoe/play";
let ada: Person;
let grace: Person;

const publishModel = async (
  name: string,
  { as, ...options }: { readonly as: Person; readonly access?: "restricted"; plays?: unknown },
) =>
  publishOrThrow(server, name, {
    as,
    access: options.access ?? "public",
    packageJson: {
      keywords: ["llm-environment-model"],
      envs: { plays: options.plays ?? ["@ada/tictactoe"] },
    },
    files: { "model.safetensors": "weights" },
  });

beforeAll(async () => {
  [ada, grace] = await Promise.all([makePerson(server, "ada"), makePerson(server, "grace")]);
  await publishEnvironment(server, ada, { name: "tictactoe" });
  await publishModel("@ada/tiny-open", { as: ada });
  await publishModel("@ada/tiny-secret", { as: ada, access: "restricted" });
  await publishModel("@grace/tiny-chess", { as: grace, plays: ["@ada/chess"] });
  await publishModel("@grace/tiny-odd", { as: grace, plays: { "@ada/tictactoe": 1 } });
});

/** The names of the models that a page offers. */
const modelsOn = (html: string): readonly string[] =>
  [
    ...html.matchAll(/<option>tiny:([^<]+)/g),
    ...html.matchAll(/&quot;name&quot;:&quot;(open|secret|chess|odd)&quot;/g),
  ].map(([, name = ""]) => name);

describe("the play page", () => {
  it("offers the public models of its environment to strangers", async () => {
    const { status, html } = await browser(server).open(path);
    expect([status, modelsOn(html)]).toEqual([200, ["open"]]);
  });

  it("offers private models to their readers", async () => {
    const { html } = await (await ada.signIn()).open(path);
    expect(modelsOn(html).toSorted()).toEqual(["open", "secret"]);
  });

  it("answers 404 for a private package, and shows strangers nothing of it", async () => {
    await publishEnvironment(server, ada, { name: "reverse-text" });
    const change = { method: "POST", as: ada, body: { access: "restricted" } };
    const changed = await server.request("/-/package/@ada%2freverse-text/access", change);
    expect(changed.status).toBe(200);
    const { status, text } = await browser(server).open("/package/@ada/reverse-text/play");
    expect(status).toBe(404);
    expect(text).not.toContain("Write a text backwards");
    expect((await (await ada.signIn()).open("/package/@ada/reverse-text/play")).status).toBe(200);
  });

  it("may show only frames of the hub, and runs no script of the package", async () => {
    const policy = (await server.request(path)).headers.get("content-security-policy");
    expect(policy).toContain("frame-src 'self'");
    expect(policy).toContain("script-src 'self';");
  });
});

describe("the page of the sandbox", () => {
  it("has no origin, no network, and a script that matches its hash", async () => {
    const response = await server.request("/-/play/sandbox");
    const policy = response.headers.get("content-security-policy") ?? "";
    for (const rule of [
      "default-src 'none'",
      "connect-src 'none'",
      "worker-src blob:",
      "frame-ancestors 'self'",
      "sandbox allow-scripts",
    ])
      expect(policy.split("; ")).toContain(rule);
    expect(policy).not.toContain("allow-same-origin");
    const [, script = ""] = /<script type="module">(.*)<\/script>/s.exec(await response.text())!;
    const digest = await crypto.subtle.digest("SHA-256", Buffer.from(script));
    expect(policy).toContain(`'sha256-${Buffer.from(digest).toString("base64")}'`);
    expect(response.headers.get("x-frame-options")).toBeNull();
  });
});
