import { spawn } from "node:child_process";
import { once } from "node:events";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { container, leftovers } from "../src/container/container.ts";
import { sandboxServices } from "../src/doctor/services.ts";
import { sandboxContract } from "./contract/contract.ts";
import { dockerServer } from "./support/docker-server.ts";

/**
 * A server with Docker's API, such as podman's, and an image with a shell that the server has. Without them, tests use our own
 * server.
 */
const { ENVS_TEST_CONTAINER_SOCKET: realSocket, ENVS_TEST_CONTAINER_IMAGE: image = "busybox" } =
  process.env;

async function fixture() {
  const server = await dockerServer();
  onTestFinished(() => server.close());
  const provider = container({ image: "tools", socket: server.socket });
  return { server, provider };
}

describe("container", () => {
  it("asks for a container without network, capabilities, root and a writable root", async () => {
    const { server, provider } = await fixture();
    const limits = { memory: 64 * 1024 ** 2, processes: 8, disk: 1024 ** 2 };
    const sandbox = await provider.create({ limits });
    expect(server.containers).toHaveLength(1);
    expect(server.containers[0]).toMatchObject({
      Image: "tools",
      User: "65534:65534",
      HostConfig: {
        NetworkMode: "none",
        Memory: limits.memory,
        MemorySwap: limits.memory,
        PidsLimit: 10,
        ReadonlyRootfs: true,
        Tmpfs: { "/sandbox": "rw,nosuid,nodev,size=1048576,mode=1777" },
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
      },
    });
    await sandbox[Symbol.asyncDispose]();
    expect(server.containers).toEqual([]);
  });

  it("separates the streams of a run, and returns its exit code", async () => {
    const { server, provider } = await fixture();
    server.answer(({ Cmd, stdin }) => ({
      stdout: `${Cmd.join(" ")} ${stdin}`,
      stderr: "warning",
      exitCode: 3,
    }));
    const sandbox = await provider.create();
    onTestFinished(() => sandbox[Symbol.asyncDispose]());
    expect(await sandbox.run("cat", { stdin: "plum é" })).toMatchObject({
      stdout: "sh -c cat plum é",
      stderr: "warning",
      exitCode: 3,
      timedOut: false,
    });
  });

  it("removes the container of a run that does not end, and starts another one with the files", async () => {
    const { server, provider } = await fixture();
    server.answer(({ Cmd }) => (Cmd.includes("loop") ? undefined : { exitCode: 0 }));
    const sandbox = await provider.create({ files: { "a.txt": "plum" }, limits: { ms: 200 } });
    expect(await sandbox.run("loop")).toMatchObject({ timedOut: true, exitCode: 137, reset: true });
    expect(server.containers).toEqual([]);
    await sandbox.run("echo");
    expect(server.commands.filter(({ Cmd }) => Cmd.at(-1) === "a.txt")).toHaveLength(2);
    await sandbox[Symbol.asyncDispose]();
  });

  it("names the image to pull when the server does not have it", async () => {
    const { server } = await fixture();
    const provider = container({ image: "missing", socket: server.socket });
    await expect(provider.check()).rejects.toThrow("Pull it: docker pull missing");
  });

  it("rejects when no server answers", async () => {
    const provider = container({ image: "tools", socket: "/nonexistent.sock" });
    await expect(provider.check()).rejects.toThrow("No container server answers");
  });

  it("finds containers of ended processes, and no others", async () => {
    const { server, provider } = await fixture();
    const sandbox = await provider.create();
    onTestFinished(() => sandbox[Symbol.asyncDispose]());
    expect(await leftovers(server.socket)).toEqual([]);
    const dead = spawn(process.execPath, ["-e", ""]);
    await once(dead, "exit");
    const label = server.containers[0]!.Labels["envs.sandbox.owner"]!;
    server.add({ "envs.sandbox.owner": label.replace(String(process.pid), String(dead.pid)) });
    server.add({ "envs.sandbox.owner": `another-machine:${dead.pid}` });
    const [leftover, ...others] = await leftovers(server.socket);
    expect(others).toEqual([]);
    vi.stubEnv("DOCKER_HOST", `unix://${server.socket}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await sandboxServices()).toContainEqual({
      kind: "containers",
      name: server.socket,
      problem: undefined,
      leftovers: [expect.objectContaining({ id: leftover!.id, image: "tools" })],
    });
    await leftover!.remove();
    expect(await leftovers(server.socket)).toEqual([]);
    expect(server.containers).toHaveLength(2);
  });
});

describe.each(realSocket === undefined ? [] : [realSocket])("container on %s", (socket) => {
  it.each(Object.entries(sandboxContract(container({ image, socket }))))("%s", async (_, check) => {
    await expect(check()).resolves.toBeUndefined();
  });
});
