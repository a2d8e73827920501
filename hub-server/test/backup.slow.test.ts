import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { reportError } from "../src/commands/report-error.ts";
import { fileBlobs } from "../src/platform/blobs/files.ts";
import { connectEmbedded } from "../src/platform/database/connect.ts";
import { openEmbedded } from "../src/platform/database/embedded.ts";
import { migrate } from "../src/platform/database/migrate.ts";

const bin = join(import.meta.dirname, "../bin/envs-hub.js");
const home = process.cwd();
let folder: string;

/** Runs a command in this process: a start of the built program, and of its database, takes seconds. */
async function hub(name: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const { exitCode } = process;
  process.exitCode = 0;
  let output = "";
  const outputs = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation((text) => {
      output += String(text);
      return true;
    }),
  );
  try {
    const { run } = (await import(`../src/commands/${name}.ts`)) as {
      run(args: readonly string[]): Promise<void>;
    };
    await run(args).catch(reportError);
    return { code: process.exitCode, output };
  } finally {
    for (const stream of outputs) stream.mockRestore();
    process.exitCode = exitCode;
  }
}

/** Runs the built program in the test's folder. */
async function program(...args: string[]): Promise<{ code: number; output: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: folder };
  return await promisify(execFile)(process.execPath, [bin, ...args], { cwd: folder, env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "envs-hub-backup-"));
  process.chdir(folder);
  const connection = await connectEmbedded(await openEmbedded(join(folder, "first/database")));
  await migrate(connection);
  const now = new Date("2026-01-02T03:04:05Z");
  await connection.database
    .insertInto("accounts")
    .values({ name: "ada", kind: "user", created_at: now })
    .execute();
  await connection.close();
  const bytes = Buffer.from("a tarball");
  await (
    await fileBlobs(join(folder, "first/blobs"))
  ).put(createHash("sha512").update(bytes).digest("hex"), bytes);
});
afterAll(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ["a file as the folder", ["start", "--data", "a-file"], "a part of the path is a file"],
  [
    "a file among the parents of the folder",
    ["start", "--data", "a-file/hub"],
    "a part of the path is a file",
  ],
  [
    "a file among the parents of the backup",
    ["backup", "a-file/x", "--data", "first"],
    "a part of the path is a file",
  ],
  ["a damaged database", ["start", "--data", "broken"], "PostgreSQL cannot start on"],
])("reports %s in one line", async (_, args, words) => {
  await writeFile(join(folder, "a-file"), "");
  const control = join(folder, "broken/database/global/pg_control");
  await mkdir(dirname(control), { recursive: true });
  await writeFile(join(folder, "broken/database/PG_VERSION"), "17\n");
  await writeFile(control, "nothing");
  const { code, output } = await program(...args, ...(args[0] === "start" ? ["--port", "0"] : []));
  expect(code, output).toBe(2);
  expect(output).toMatch(new RegExp(`^.*${words}.*\n$`));
});

test("restore recreates the database and blobs of a backup", async () => {
  expect(await hub("backup", "saved", "--data", "first")).toMatchObject({
    code: 0,
    output: expect.stringContaining("Saved"),
  });
  expect(await hub("restore", "saved", "--data", "second")).toMatchObject({
    code: 0,
    output: expect.stringContaining("1 blobs"),
  });
  const connection = await connectEmbedded(await openEmbedded(join(folder, "second/database")));
  expect(await connection.database.selectFrom("accounts").select("name").execute()).toEqual([
    { name: "ada" },
  ]);
  await connection.close();
  const blobs = await fileBlobs(join(folder, "second/blobs"));
  const [blob] = await Array.fromAsync(blobs.list());
  expect(Buffer.from((await blobs.get(blob!.key))!).toString()).toBe("a tarball");
});

test("restore rejects a damaged, truncated or foreign file without creating a folder", async () => {
  await hub("backup", "whole", "--data", "first");
  const bytes = await readFile(join(folder, "whole"));
  const position = bytes.indexOf("a tarball");
  bytes[position] = 0x62;
  await writeFile(join(folder, "damaged"), bytes);
  await writeFile(join(folder, "torn"), bytes);
  await truncate(join(folder, "torn"), position - 2000);
  await writeFile(join(folder, "other"), "not a backup");
  for (const [file, reason] of [
    ["damaged", "damaged"],
    ["torn", "not a complete backup"],
    ["other", "not a complete backup"],
    ["absent", "does not exist"],
  ] as const) {
    const { code, output } = await hub("restore", file, "--data", `from-${file}`);
    expect([code, output]).toEqual([2, expect.stringContaining(reason)]);
    await expect(openBlobFolder(`from-${file}`)).rejects.toThrow("ENOENT");
  }
});

test("backup and verify exit with 1 and name the versions whose tarballs are corrupt or missing", async () => {
  const connection = await connectEmbedded(await openEmbedded(join(folder, "third/database")));
  await migrate(connection);
  const blobs = await fileBlobs(join(folder, "third/blobs"));
  const at = new Date("2026-01-02T03:04:05Z");
  const { database } = connection;
  const { id: owner } = await database
    .insertInto("accounts")
    .values({ name: "ada", kind: "user", created_at: at })
    .returning("id")
    .executeTakeFirstOrThrow();
  await database
    .insertInto("users")
    .values({ account_id: owner, email: "ada@example.com", updated_at: at })
    .execute();
  const { id } = await database
    .insertInto("packages")
    .values({ name: "@ada/a", scope: "ada", owner_id: owner, created_at: at, modified_at: at })
    .returning("id")
    .executeTakeFirstOrThrow();
  for (const [version, stored] of [
    ["1.0.0", "1.0.0"],
    ["2.0.0", "damaged"],
    ["3.0.0", undefined],
  ] as const) {
    const blob = createHash("sha512").update(version).digest("hex");
    if (stored !== undefined) await blobs.put(blob, Buffer.from(stored));
    const integrity = `sha512-${Buffer.from(blob, "hex").toString("base64")}`;
    await database
      .insertInto("versions")
      .values({
        package_id: id,
        version,
        manifest: "{}",
        readme: "",
        readme_file: "",
        shasum: "",
        integrity,
        blob,
        size: 5,
        unpacked_size: 5,
        file_count: 1,
        signatures: "[]",
        published_by: owner,
        published_at: at,
      })
      .execute();
  }
  await connection.close();

  for (const [name, ...args] of [
    ["backup", "lacking", "--data", "third"],
    ["restore", "lacking", "--data", "fourth"],
    ["verify", "--data", "third"],
  ] as const) {
    const { code, output } = await hub(name, ...args);
    expect(code, output).toBe(1);
    expect(output).toContain("@ada/a@2.0.0");
    expect(output).toContain("@ada/a@3.0.0");
    expect(output).not.toContain("@ada/a@1.0.0");
  }
});

test("restore does not overwrite a hub, and backup requires a hub and a file name", async () => {
  expect(await hub("restore", "whole", "--data", "first")).toMatchObject({
    code: 2,
    output: expect.stringContaining("exists"),
  });
  expect(await hub("backup", "x", "--data", "nowhere")).toMatchObject({
    code: 2,
    output: expect.stringContaining("is not the data folder of a hub"),
  });
  expect(await hub("backup", "--data", "first")).toMatchObject({
    code: 2,
    output: expect.stringContaining("Missing argument: the file to write"),
  });
});

test("rotates the signing key while the hub is stopped", async () => {
  const first = await hub("rotate-key", "--data", "first");
  expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/signed with SHA256:\S+/) });
  expect((await hub("rotate-key", "--data", "first")).output).not.toBe(first.output);
});

test("sweep refuses a hub without versions", async () => {
  for (const [folder, reason] of [
    ["nowhere", "is not the data folder of a hub"],
    ["first", "has no versions"],
  ] as const)
    expect(await hub("sweep", "--dry-run", "--data", folder)).toMatchObject({
      code: 2,
      output: expect.stringContaining(reason),
    });
});

test("reports unknown commands and invalid options, and lists the settings in its help", async () => {
  expect(await program("fly")).toMatchObject({
    code: 2,
    output: expect.stringContaining('Unknown command "fly"'),
  });
  expect(await program("start", "--port", "many")).toMatchObject({
    code: 2,
    output: expect.stringContaining("HUB_PORT"),
  });
  expect(await program("start", "--fast")).toMatchObject({
    code: 2,
    output: expect.stringContaining("--fast"),
  });
  expect(await program("--help")).toMatchObject({
    code: 0,
    output: expect.stringContaining("HUB_TARBALL_BYTES"),
  });
});

async function openBlobFolder(name: string): Promise<unknown> {
  return await readFile(join(folder, name, "blobs"));
}
