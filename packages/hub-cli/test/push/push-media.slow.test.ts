import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import { type EnvironmentManifest, hubClient } from "@envs/hub-client";
import { seedEnvironment } from "@envs/hub-server/testing/seed-environment";
import { sharedHub } from "@envs/hub-server/testing/shared-hub";
import { expect, test } from "vitest";

import { envsHere } from "../../../cli/test/command.ts";
import { pixel } from "../../../cli/test/fixtures/picture.ts";
import { environmentPackage } from "../../../cli/test/manifest/package.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });

/** An environment with an image in its prompt, a tool, and a score with feedback. */
const definition = `
  media: { kinds: ["image"] },
  dataset: () => [0, 1].map((n) => ({ id: "n" + n, prompt: [{ role: "user", content: [
    { type: "text", text: "Which color? " + n },
    { type: "image_url", image_url: { url: "data:image/png;base64,${pixel.toString("base64")}" } },
  ] }] })),
  tools: { look: { description: "Looks", input: z.object({}), execute: () => "red" } },
  rubric: { right: () => ({ score: 1, feedback: "It is red." }) },
  policies: { right: ({ turns }) => turns > 0 ? "red" : { role: "assistant", content: "", tool_calls: [
    { id: "a", type: "function", function: { name: "look", arguments: "{}" } }] } },`;

/** Publishes the package of a new user, evaluates it, and returns the folder of the run. */
async function evaluated(user: string, access: "public" | "restricted") {
  const root = await environmentPackage(definition, {
    packageJson: { name: `@${user}/guess` },
    files: { "README.md": "Guess." },
  });
  const built = await envsHere(["build", root]);
  expect(built.code, built.stderr).toBe(0);
  const json = JSON.parse(await readFile(join(root, "envs.manifest.json"), "utf8"));
  const manifest = json as EnvironmentManifest;
  const owner = await server.createUser(user);
  const versions = [manifest.package.version];
  await seedEnvironment(server.hub, owner, { bare: "guess", versions, manifest, access });
  const args = ["eval", root, "-m", "policy:right", "-r", "2", "--save", join(root, "outputs")];
  const { stdout, stderr } = await envsHere([...args, "--json"]);
  if (stdout === "") throw new Error(stderr);
  const variables = { ENVS_HUB: server.url, ENVS_HUB_TOKEN: owner.token };
  return { run: (JSON.parse(stdout) as { readonly run: string }).run, variables };
}

async function push({ run, variables }: Awaited<ReturnType<typeof evaluated>>) {
  const { code, stdout, stderr } = await envsHere(["run", "push", run, "--json"], variables);
  expect(code, stderr).toBe(0);
  const { id } = JSON.parse(stdout) as { readonly id: string };
  const [file = ""] = await readdir(join(run, "media"));
  return { id, file, media: `${server.url}/run/${id}/rollouts/data/runs/${id}/media` };
}

test("pushes the images of a run once, and shows them with its tools", async () => {
  const played = await evaluated("one", "public");
  const { id, file, media } = await push(played);
  const client = hubClient({ url: server.url });
  const { summary } = await client.readRun({ run: id });
  expect(summary.tools).toEqual({ look: { calls: 4, errors: 0, seconds: expect.any(Number) } });
  const { items } = await client.readRollouts({ run: id, limit: 1 });
  expect(items[0]).toMatchObject({ feedback: { right: "It is red." } });

  const response = await fetch(`${media}/${file}`);
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect(Buffer.from(await response.arrayBuffer())).toEqual(pixel);
  expect((await fetch(`${media}/${"a".repeat(64)}.png`)).status).toBe(404);
  const page = await (await fetch(`${server.url}/run/${id}`)).text();
  expect(page).toMatch(/<h2>Tools<\/h2>.*<code>look<\/code>/s);

  await rm(join(played.run, "media", file));
  const damaged = await envsHere(["run", "push", played.run], played.variables);
  expect(damaged.stderr).toContain(`${file} is missing`);
});

test("hides the images of a run of a restricted package from other users", async () => {
  const played = await evaluated("two", "restricted");
  const { file, media } = await push(played);
  expect((await fetch(`${media}/${file}`)).status).toBe(404);
});
