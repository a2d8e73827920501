import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The official SkyRL server over a random model. It has two adapters; a session without heartbeats expires after 25 s. */
export class SkyrlServer {
  readonly url: string;
  readonly model = process.env["ENVS_TINY_LLAMA"]!;
  readonly #folder: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<SkyrlServer> {
    const folder = await mkdtemp(join(tmpdir(), "skyrl-"));
    const server = new SkyrlServer(folder, await freePort());
    await server.startProcess();
    return server;
  }

  /** Starts the server, again after `kill()`, over the same database and checkpoints. */
  async startProcess(): Promise<void> {
    const bin = dirname(process.env["ENVS_PYTHON"]!);
    const log = await open(join(this.#folder, "server.log"), "a");
    const backend = { max_lora_adapters: 3, max_lora_rank: 16 };
    // The server starts its engine with uv, and reads uv's arguments from its parent.
    const args = ["run", "--", "python", "-m", "skyrl.tinker.api", "--backend", "jax"];
    args.push("--base-model", this.model, "--host", "127.0.0.1", "--port", String(this.#port));
    args.push("--backend-config", JSON.stringify(backend));
    args.push("--database-url", `sqlite:///${join(this.#folder, "server.db")}`);
    args.push("--checkpoints-base", join(this.#folder, "checkpoints"));
    args.push("--session-timeout-sec", "25", "--session-cleanup-interval-sec", "2");
    this.#process = spawn(join(bin, "uv"), args, {
      cwd: this.#folder,
      // A process group, so that kill() reaches the engine.
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
      env: {
        ...process.env,
        PATH: [bin, process.env["PATH"]].join(delimiter),
        VIRTUAL_ENV: dirname(bin),
        JAX_PLATFORMS: "cpu",
        JAX_COMPILATION_CACHE_DIR: join(tmpdir(), "skyrl-jax-cache"),
        HF_HUB_OFFLINE: "1",
        UV_OFFLINE: "1",
      },
    });
    await log.close();
    while (!(await this.#isReady())) {
      if (this.#process.exitCode !== null) throw new Error(await this.log());
      await sleep(500);
    }
  }

  /** Ends all processes of the server without warning. */
  async kill(): Promise<void> {
    const { pid } = this.#process!;
    process.kill(-pid!, "SIGKILL");
    if (this.#process?.exitCode === null) await once(this.#process, "exit");
  }

  log(): Promise<string> {
    return readFile(join(this.#folder, "server.log"), "utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #isReady(): Promise<boolean> {
    const response = await fetch(`${this.url}/api/v1/healthz`).catch(() => undefined);
    return response?.ok ?? false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port.");
  return address.port;
}
