import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { modelServer } from "@envs/models/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { scriptedJudge } from "../../../../environments/summarize/test/scripted-judge.ts";
import { envs, envsHere } from "../../../cli/test/command.ts";
import { started } from "../../../cli/test/long-running.ts";

const needy = "./packages/cli/test/fixtures/needy.ts";
const two = ["./environments/tictactoe", "./environments/reverse-text"];

interface Addresses {
  readonly url: string;
  readonly environments: readonly { readonly openenv: string }[];
}

async function servedAt(args: readonly string[], variables?: NodeJS.ProcessEnv) {
  const options = ["--port", "0", "--processes", "1", "--json"];
  const server = await started(["serve", ...args, ...options], /\n/, variables);
  return { ...server, at: JSON.parse(server.said.stdout) as Addresses };
}

async function metadata(url: string, key?: string) {
  const answer = await fetch(`${url}/metadata`, {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe("envs serve", () => {
  test("asks --judge for the scores that need a judge", async () => {
    const judge = await modelServer({ answer: scriptedJudge, name: "careful" });
    onTestFinished(() => judge.close());
    const asked = ["--judge", "careful", "--judge-base-url", judge.url];
    const { at, end } = await servedAt(["./environments/summarize", "--examples", "1", ...asked]);
    const post = async (path: string, body: object) => {
      const headers = { "content-type": "application/json", "x-session-id": "one" };
      const answer = await fetch(`${at.url}${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return answer.text();
    };
    await post("/create", { split: "train", index: 0 });
    const call = { name: "respond", input: { text: "Dragons danced everywhere yesterday." } };
    expect(await post("/summarize/call", call)).toContain('"faithful":0');
    expect(judge.requests).toBe(1);
    expect(await end("SIGINT")).toBe(0);
  });

  test.for(["policy:brief", "a,,b"])("does not start with --judge %s", async (judge) => {
    const { code, stderr } = await envsHere([
      "serve",
      "./environments/summarize",
      "--judge",
      judge,
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(judge)]);
  });

  test("does not start without the sandbox that the environment requires", async () => {
    expect(await envsHere(["serve", needy, "--port", "0"])).toEqual({
      stdout: "",
      stderr: expect.stringMatching(
        /^✗ needy needs the sandbox python, which does not work here: Install bubblewrap\.\n$/u,
      ),
      code: 2,
    });
  });

  test("serves several environments, prints their URLs and exits with 0 on a signal", async () => {
    const { said, end } = await started(["serve", ...two, "--port", "0"], /Try it/);
    const [url = ""] = /http:\S+/.exec(said.stdout) ?? [];
    expect(said.stdout.replaceAll(url, "URL").replaceAll(/ +/g, " ")).toBe(
      [
        "environment OpenEnv NeMo Gym",
        "tictactoe URL URL/nemo/tictactoe",
        "reverse-text URL/reverse-text URL/nemo/reverse-text",
        "",
        "ORS URL",
        "web page URL/web",
        "",
        "Try it: open URL/web, or envs export trl tictactoe --url URL",
        "",
      ].join("\n"),
    );
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(await end("SIGTERM")).toBe(0);
  });

  test("prints the URLs as JSON and serves each package's metadata", async () => {
    const { at, end } = await servedAt(two);
    const [first, second] = at.environments;
    expect((await metadata(first!.openenv)).body).toMatchObject({
      name: "tictactoe",
      version: "0.0.0",
      readme_content: expect.stringContaining("tictactoe"),
    });
    expect((await metadata(second!.openenv)).body).toMatchObject({ name: "reverse-text" });
    expect(await end("SIGINT")).toBe(0);
  });

  test("requires the API key of --api-key-var", async () => {
    const { at } = await servedAt([two[0]!, "--api-key-var", "SERVE_KEY"], { SERVE_KEY: "tops" });
    expect((await metadata(at.url)).status).toBe(401);
    expect((await metadata(at.url, "tops")).status).toBe(200);
    const { code, stderr } = await envsHere(["serve", two[0]!, "--api-key-var", "NO_SUCH_KEY"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("The environment variable NO_SUCH_KEY is not set"),
    ]);
  });

  test("accepts the config of one environment as flags, and of several with --config", async () => {
    const help = await envsHere(["serve", two[1]!, "--help"]);
    expect(help.stdout).toContain("--min-length");
    const lengths = ["--min-length", "20", "--max-length", "10"];
    const one = await envsHere(["serve", two[1]!, ...lengths]);
    expect([one.code, one.stderr]).toEqual([2, expect.stringContaining("minLength")]);
    const flag = await envsHere(["serve", two[1]!, two[0]!, "--max-length", "10"]);
    expect([flag.code, flag.stderr]).toEqual([
      2,
      expect.stringContaining("--max-length is ambiguous"),
    ]);
    const invalid = { "reverse-text": { metric: "none" } };
    const several = await envsHere(["serve", ...two, "--config", JSON.stringify(invalid)]);
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining("metric")]);
    const unknown = await envsHere(["serve", ...two, "--config", '{"reverse-txt": {}}']);
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringContaining("Did you mean reverse-text?"),
    ]);
  });

  test("reports a port that is already in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const options = ["--port", String(port), "--processes", "1"];
    const { code, stderr } = await envs(["serve", two[0]!, ...options]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `✗ Port ${port} on 127.0.0.1 is already in use. Choose another port with --port, or 0 for any free port.\n`,
    );
  });

  test("rejects a missing or repeated environment", async () => {
    const none = await envsHere(["serve"]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("envs serve tictactoe")]);
    const twice = await envsHere(["serve", two[0]!, two[0]!]);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining("named tictactoe")]);
  });
});
