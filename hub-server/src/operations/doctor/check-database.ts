import { sql } from "kysely";

import type { DatabaseConnection } from "../../platform/database/connect.ts";
import { missingMigrations } from "../../platform/database/migrate.ts";
import type { Database } from "../../platform/database/tables.ts";
import { wrongTotals } from "../storage-totals.ts";
import { attempt, failure, type Finding, ok, warning } from "./finding.ts";

const minVersion = 150_000;
/** Between a hub and its database. Each request makes a few queries, one after another. */
const slowMs = 20;
const [driftSeconds, maxDriftSeconds] = [2, 30];

/** Checks a database without changing it. */
export async function checkDatabase({
  database,
  kind,
}: DatabaseConnection): Promise<readonly Finding[]> {
  const findings = await attempt(
    "database",
    "Start PostgreSQL, or correct DATABASE_URL.",
    async () => [await version(database), await latency(database), await clock(database)],
  );
  if (findings.some(({ level, check }) => level === "error" && check === "database"))
    return findings;
  return [
    ...findings,
    ...(kind === "server" ? await server(database) : []),
    ...(await state(database)),
  ];
}

async function version(database: Database): Promise<Finding> {
  const { rows } = await sql<{ number: number; text: string }>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as text
  `.execute(database);
  const [row] = rows;
  const message = `PostgreSQL ${row?.text}`;
  return (row?.number ?? 0) >= minVersion
    ? ok("database", message)
    : failure("database", message, "Upgrade PostgreSQL to version 15 or newer.");
}

async function latency(database: Database): Promise<Finding> {
  const times: number[] = [];
  for (let count = 0; count < 7; count += 1) {
    const start = performance.now();
    await sql`select 1`.execute(database);
    times.push(performance.now() - start);
  }
  const median = times.toSorted((a, b) => a - b)[3] ?? 0;
  const message = `a query takes ${median.toFixed(1)} ms`;
  return median <= slowMs
    ? ok("database latency", message)
    : warning("database latency", message, "Run the hub and PostgreSQL in the same network.");
}

async function clock(database: Database): Promise<Finding> {
  const before = new Date().getTime();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database);
  const middle = (before + new Date().getTime()) / 2;
  const drift = Math.abs(new Date(rows[0]?.now ?? 0).getTime() - middle) / 1000;
  const message = `differs from this machine's by ${drift.toFixed(1)} s`;
  const remedy = "Synchronize the clocks of both machines by NTP.";
  if (drift > maxDriftSeconds) return failure("database clock", message, remedy);
  return drift > driftSeconds
    ? warning("database clock", message, remedy)
    : ok("database clock", message);
}

/** Settings of a server that decide whether an acknowledged change survives a crash. */
const durable: Readonly<Record<string, string>> = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
};

async function server(database: Database): Promise<readonly Finding[]> {
  return await attempt(
    "database server",
    "Grant the hub's user access to pg_settings.",
    async () => {
      const { rows } = await sql<{ name: string; setting: string }>`
      select name, setting from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'max_connections', 'server_encoding')
    `.execute(database);
      const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
      const { rows: extensions } = await sql`
      select from pg_available_extensions where name = 'pg_trgm'
    `.execute(database);
      const unsafe = Object.entries(durable)
        // `remote_apply` and the like wait for even more than `on`.
        .filter(
          ([name, value]) =>
            settings.get(name) !== value && settings.get(name)?.startsWith("remote") !== true,
        )
        .map(([name]) =>
          failure(
            "database durability",
            `${name} is ${settings.get(name)}: a crash can lose or corrupt acknowledged changes.`,
            `Set ${name} = on in postgresql.conf.`,
          ),
        );
      return [
        ...(unsafe.length > 0
          ? unsafe
          : [ok("database durability", "fsync and synchronous_commit are on")]),
        extensions.length > 0
          ? ok("database extension", "pg_trgm is available")
          : failure(
              "database extension",
              "pg_trgm is missing.",
              "Install the package postgresql-contrib.",
            ),
        settings.get("server_encoding") === "UTF8"
          ? ok("database encoding", "UTF8")
          : failure(
              "database encoding",
              String(settings.get("server_encoding")),
              "Create the database with: createdb --encoding UTF8 --template template0",
            ),
      ];
    },
  );
}

/** Checks the migrations and the signing key. */
async function state(database: Database): Promise<readonly Finding[]> {
  return await attempt(
    "migrations",
    "Start the version of the hub that created the database, or restore a backup.",
    async () => {
      const { rows } = await sql<{ exists: boolean }>`
        select to_regclass('migrations') is not null as exists
      `.execute(database);
      if (rows[0]?.exists !== true)
        return ok("migrations", "the database is empty; the first start creates its tables");
      const missing = await missingMigrations(database);
      if (missing.length > 0)
        return warning(
          "migrations",
          `the database lacks ${missing.map(({ name }) => name).join(", ")}.`,
          "Back up the database, then start the hub, which applies them.",
        );
      const keys = await database
        .selectFrom("signing_keys")
        .where("expires_at", "is", null)
        .select("keyid")
        .execute();
      return [
        ok("migrations", "up to date"),
        keys.length === 1
          ? ok("signing key", String(keys[0]?.keyid))
          : ok("signing key", "the first signature creates it"),
        await storage(database),
      ];
    },
  );
}

async function storage(database: Database): Promise<Finding> {
  const wrong = await wrongTotals(database);
  if (wrong.length === 0) return ok("storage totals", "match the tarballs and runs");
  const texts = wrong.map(({ name, total, bytes }) => `${name} has ${bytes} bytes, not ${total}`);
  return failure("storage totals", `${texts.slice(0, 5).join("; ")}.`, "Run: envs-hub verify");
}
