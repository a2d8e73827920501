import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { docker } from "../src/index.ts";
import { machineContract } from "./contract.ts";
import { internet } from "./internet.ts";
import { servicesContract } from "./services.ts";

const { ENVS_TEST_MACHINE_SOCKET: socket, ENVS_TEST_MACHINE_IMAGE: name = "envs-test-base" } =
  process.env;
const { dial, [Symbol.dispose]: close } = await internet();
afterAll(close);
const provider = docker({ socket, dial });
const subject = { provider, image: { name }, allowedHost: "allowed.example" };

describe("docker", () => {
  it.each(Object.entries({ ...machineContract(subject), ...servicesContract(subject) }))(
    "%s",
    async (_, check) => {
      await expect(check()).resolves.toBeUndefined();
    },
  );

  it("finds and removes what a killed process left, and nothing of living ones", async () => {
    await using machine = await provider.create({ image: { name }, run: "living" });
    const owner = spawn(
      process.execPath,
      [join(import.meta.dirname, "fixtures/owner.ts"), socket ?? "", name],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    await once(owner.stdout, "data");
    const ended = once(owner, "exit");
    owner.kill("SIGKILL");
    await ended;
    const left = (await provider.leftovers()).filter(({ run }) => run === "killed");
    expect(left.map(({ kind }) => kind)).toEqual([
      "container",
      "container",
      "container",
      "network",
    ]);
    for (const leftover of left) await leftover.remove();
    const rest = await provider.leftovers();
    expect(rest.filter(({ run }) => run === "killed" || run === "living")).toEqual([]);
    expect((await machine.exec("echo alive")).stdout).toBe("alive\n");
  });
});
