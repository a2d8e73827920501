import { once } from "node:events";
import { type Duplex, Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

import type Docker from "dockerode";

import type { BoxCommand } from "../box/box.ts";

const pollMs = 100;
const maxPollMs = 1_000;
/** The time in which output arrives that a command wrote before its end. */
const drainMs = 300;
const killed = 137;

/** Runs a command in a container until its own process ends; processes that it left may hold its output open. */
export async function execute(
  { docker, container }: { readonly docker: Docker; readonly container: Docker.Container },
  { argv, user, env, cwd, stdin, onOutput }: BoxCommand,
): Promise<number> {
  const exec = await container.exec({
    Cmd: [...argv],
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    ...(user === undefined ? {} : { User: user }),
    ...(cwd === undefined ? {} : { WorkingDir: cwd }),
  });
  const stream = await startExec(exec);
  const receiver = (name: "stdout" | "stderr"): Writable =>
    new Writable({
      write: (data: Buffer, _encoding, done) => {
        onOutput(name, data);
        done();
      },
    });
  docker.modem.demuxStream(stream, receiver("stdout"), receiver("stderr"));
  // The command may end before it reads its input.
  stream.on("error", () => {});
  const ended = Promise.race([once(stream, "end"), once(stream, "close")]);
  if (stdin instanceof Readable) stdin.pipe(stream);
  else stream.end(stdin);
  const code = await Promise.race([ended.then(() => undefined), exitCodeOf(exec)]);
  if (code !== undefined) await Promise.race([ended, sleep(drainMs)]);
  stream.destroy();
  return code ?? (await exitCodeOf(exec));
}

/** Starts a command, and returns its standard streams as one. */
export async function startExec(exec: Docker.Exec): Promise<Duplex> {
  const failed = new AbortController();
  try {
    return await exec.start({ hijack: true, stdin: true, abortSignal: failed.signal });
  } catch (error) {
    // The library keeps the connection open otherwise, and with it this process.
    failed.abort();
    throw error;
  }
}

async function exitCodeOf(exec: Docker.Exec): Promise<number> {
  for (let wait = pollMs; ; wait = Math.min(wait * 1.5, maxPollMs)) {
    const { ExitCode, Running } = await exec.inspect();
    if (!Running && ExitCode !== null) return ExitCode;
    if (!Running) return killed;
    await sleep(wait);
  }
}
