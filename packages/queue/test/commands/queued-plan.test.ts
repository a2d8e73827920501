import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { expect, it } from "vitest";

import { mapReference } from "../../../cli/src/environments/mix-reference.ts";
import { temporaryFolder } from "../../../cli/test/command.ts";
import { formatPlan, parsePlan, sharedEnvironment } from "../../src/commands/queued-plan.ts";

const shared = async (reference: string) =>
  (await sharedEnvironment({ reference, versions: {} }, {})).reference;

it("makes paths absolute for other machines, also in a mix", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "game"));
  await writeFile(join(folder, "riddle.ts"), "");
  const path = (name: string): string => `./${relative(process.cwd(), join(folder, name))}`;
  expect(await shared(path("game"))).toBe(join(folder, "game"));
  expect(
    await shared(`mix(${path("riddle.ts")} = 0.7, tictactoe, mix(${path("game")}, @you/x@1.0.0))`),
  ).toBe(
    `mix(${join(folder, "riddle.ts")}=0.7, tictactoe=1, mix(${join(folder, "game")}=1, @you/x@1.0.0=1)=1)`,
  );
});

it("leaves names and versions as they are", async () => {
  expect(await shared("tictactoe")).toBe("tictactoe");
  expect(await shared("@envs/tictactoe")).toBe("@envs/tictactoe");
  expect(await shared("@envs/tictactoe@1.2.3")).toBe("@envs/tictactoe@1.2.3");
});

it("has the endpoints of the models of all seats, without their headers", () => {
  const endpoint = (model: string) => ({ model, headers: { authorization: "secret" } });
  const plan = formatPlan({
    environment: { reference: "tictactoe", versions: {}, files: {} },
    play: { model: "X=near,O=policy:optimal" } as never,
    config: {},
    endpoints: { near: endpoint("a"), far: endpoint("b") },
  });
  expect(parsePlan(plan).endpoints).toEqual({ near: { model: "a" } });
});

it("replaces each environment of a mix once", async () => {
  expect(await mapReference("mix(a=2, mix(b, a))", (name) => `${name}${name}`)).toBe(
    "mix(aa=2, mix(bb=1, aa=1)=1)",
  );
});
