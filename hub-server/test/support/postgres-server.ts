import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { freePort, orRemove, outsideFolder, startOutside } from "./outside-process.ts";

const run = promisify(execFile);
const debian = "/usr/lib/postgresql";

/** Starts a PostgreSQL of this machine on a new cluster that forgets everything; `url` names its database `postgres`. */
export async function startPostgres(): Promise<{ url: string; close: () => Promise<void> }> {
  const programs = await programsFolder();
  const user = await systemUser();
  const folder = await outsideFolder("postgres");
  return orRemove(folder, async () => {
    if (user !== undefined) await chown(folder, user.uid, user.gid);
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
    const close = await startOutside({
      command: join(programs, "postgres"),
      args: [
        "-D",
        data,
        ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
      ],
      ready: /ready to accept connections/,
      signal: "QUIT",
      folder,
      ...(user && { user }),
    });
    return { url: `postgres://envs@127.0.0.1:${port}/postgres`, close };
  });
}

/** Where Debian's newest PostgreSQL has its programs, unless the variable POSTGRES_BIN says where others are. */
async function programsFolder(): Promise<string> {
  const named = process.env["POSTGRES_BIN"];
  if (named !== undefined) return named;
  const versions = await readdir(debian).catch(() => []);
  const folders = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(debian, version, "bin"));
  const found = folders.find((folder) => existsSync(join(folder, "initdb")));
  if (found !== undefined) return found;
  throw new Error(
    `The hub's tests need PostgreSQL, and there is none in ${debian}. Install it (on Debian: apt-get install postgresql-15), or name the folder of its programs in the variable POSTGRES_BIN.`,
  );
}

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
async function systemUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (kind: string): Promise<number> =>
    Number((await run("id", [kind, "postgres"])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}
