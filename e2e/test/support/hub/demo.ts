import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../../..");

/** A running `pnpm hub --seed --demo`. */
export interface Demo extends AsyncDisposable {
  readonly url: string;
  readonly name: string;
  readonly password: string;
  /** Everything that it printed. */
  readonly output: string;
}

/** Starts the demo with a data folder, and waits until the hub is full. */
export async function startDemo(data: string): Promise<Demo> {
  const main = join(root, "demo/src/main.ts");
  const args = [main, "--seed", "--demo", "--data", data, "--port", "0"];
  const bin = join(root, "node_modules/.bin");
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  let output = "";
  const isComplete = await Promise.race([
    new Promise<boolean>((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk) => {
          output += String(chunk);
          if (output.includes("with the password")) resolve(true);
        });
    }),
    closed.then(() => false),
  ]);
  const found = /complete: (\S+)\s+Log in as (\S+) with the password (\S+)/.exec(output);
  if (!isComplete || found === null) {
    child.kill();
    throw new Error(`The demo has not filled the hub:\n${output}`);
  }
  const [, url = "", name = "", password = ""] = found;
  return {
    url,
    name,
    password,
    output,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await closed;
    },
  };
}
