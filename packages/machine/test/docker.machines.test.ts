import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { diagnose } from "../src/doctor/diagnose.ts";
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
    // As the command prints it.
    const found = await diagnose({ socket, image: name, clean: false });
    expect(found.leftovers.filter(({ run }) => run === "killed")).toHaveLength(4);
    expect(found.checks.map((check) => [check.name, check.problem])).toContainEqual([
      "network by an allowlist",
      undefined,
    ]);
    await diagnose({ socket, image: undefined, clean: true });
    const rest = await provider.leftovers();
    expect(rest.filter(({ run }) => run === "killed" || run === "living")).toEqual([]);
    expect((await machine.exec("echo alive")).stdout).toBe("alive\n");
  });

  it("builds an image once for machines that start together, and starts as many as memory allows", async () => {
    const { memory } = (await diagnose({ socket, image: undefined, clean: false })).engine!;
    const folder = await mkdtemp(join(tmpdir(), "machine-"));
    await writeFile(join(folder, "Dockerfile"), `FROM ${name}\nRUN echo ${process.pid} > /made\n`);
    const lines: string[] = [];
    const images = [1, 2].map(() =>
      provider.prepare({ folder }, { onProgress: (line) => lines.push(line) }),
    );
    const [image = ""] = await Promise.all(images);
    expect(
      lines.filter((line) => line.startsWith("STEP 2/2") && line.includes("RUN")),
    ).toHaveLength(1);
    await rm(folder, { recursive: true });
    const half = { image: { name: image }, resources: { memory: memory * 0.5 } };
    const first = await provider.create(half);
    let hasStarted = false;
    const second = provider.create(half).then((machine) => {
      hasStarted = true;
      return machine;
    });
    await (await provider.create({ ...half, isUrgent: true }))[Symbol.asyncDispose]();
    expect(hasStarted).toBe(false);
    await first[Symbol.asyncDispose]();
    await (await second)[Symbol.asyncDispose]();
    const tooLarge = { image: { name: image }, resources: { memory: memory * 2 } };
    await expect(provider.create(tooLarge)).rejects.toThrow(/needs .* GiB of memory/);
    const gone = AbortSignal.abort(new Error("stopped"));
    await expect(provider.create({ ...half, signal: gone })).rejects.toThrow("stopped");
  });
});
