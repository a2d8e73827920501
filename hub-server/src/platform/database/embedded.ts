import { existsSync, fdatasyncSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";

import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { NodeFS } from "@electric-sql/pglite/nodefs";

import { CommandError } from "../errors/hub-error.ts";
import { createCluster, readCluster } from "./create-cluster.ts";

const dateType = 1082;

const parameters = [
  // PostgreSQL writes to all buffers at start-up. The operating system's file cache holds the rest.
  "shared_buffers=32MB",
  // Pages are in memory, and without autovacuum's statistics the planner would prefer sequential scans.
  "random_page_cost=1.1",
  // ANALYZE samples 3,000 rows of a table instead of 30,000, because requests wait for it.
  "default_statistics_target=10",
  // PGlite's default parameters include -F, which turns fsync off.
  "fsync=on",
  // PGlite's `fdatasync` does nothing.
  "wal_sync_method=fsync",
];

/** The folder contains a damaged database, or one of another PostgreSQL version. */
class DamagedDatabaseError extends Error {
  override readonly name = "DamagedDatabaseError";
}

/**
 * Opens PostgreSQL in this process, in `folder` or in memory. A new database is a copy of `dump`, a tar.gz; the default
 * has the tables of a new hub once the hub is built. Throws a {@link DamagedDatabaseError} if it cannot start on the folder's files.
 */
export async function openEmbedded(
  folder?: string,
  dump: () => Promise<Uint8Array<ArrayBuffer>> = readCluster,
): Promise<PGlite> {
  if (folder === undefined) return await open({ loadDataDir: new Blob([await dump()]) });
  let files: SyncedFiles | undefined;
  try {
    if (!existsSync(join(folder, "PG_VERSION"))) await createCluster(folder, dump);
    files = new SyncedFiles(folder);
    return await open({ fs: files });
  } catch (cause) {
    const { code = files?.failure } = cause as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new CommandError(
        `PostgreSQL cannot start, because the disk of ${folder} is full. Its data is intact: free some space and start the hub again.`,
      );
    // Folders that cannot be used are reported with their path.
    if (files === undefined && code !== "ENOTEMPTY") throw cause;
    throw new DamagedDatabaseError(
      `PostgreSQL cannot start on ${folder}: files are missing or damaged, or another version of PostgreSQL wrote them. Restore a backup into a new folder: envs-hub restore hub.backup --data <folder>`,
      { cause },
    );
  }
}

async function open(options: PGliteOptions): Promise<PGlite> {
  const startParams = [
    ...PGlite.defaultStartParams,
    ...parameters.flatMap((parameter) => ["-c", parameter]),
  ];
  const parsers = { [dateType]: (text: string) => text };
  const database = new LeanPGlite({ ...options, startParams, extensions: { pg_trgm }, parsers });
  await database.waitReady;
  return database;
}

/** V8 would take 600 MB to optimise PostgreSQL's parser, a function of 100 kB, after a few statements. */
class LeanPGlite extends PGlite {
  /** PGlite's first query. V8 compiles a function at its first call, and only then decides whether it may optimise it later. */
  override async _initArrayTypes(options?: { readonly force?: boolean }): Promise<void> {
    // The only function that could be optimised now is an import, which V8 never optimises.
    setFlagsFromString("--wasm-tier-up-filter=0");
    try {
      await this.exec(";");
    } finally {
      setFlagsFromString("--wasm-tier-up-filter=-1");
    }
    await super._initArrayTypes(options);
  }
}

/** The argument of PGlite's `init`: options of its Emscripten module. */
type ModuleOptions = Parameters<NodeFS["init"]>[1];

/** Emscripten's access to a folder of this machine. */
interface NodeFiles {
  readonly stream_ops: {
    /** Syncs an open file or folder; `nfd` is its descriptor. */
    fsync?: (stream: { readonly nfd: number }) => number;
  };
  /** Converts Node's errors to those of PostgreSQL. */
  readonly tryFSOperation: (operation: () => void) => void;
  convertNodeCode: (error: { readonly code: string }) => number;
}

/** A folder whose files reach the disk when PostgreSQL calls `fsync`: in PGlite's own `NodeFS`, `fsync` does nothing. */
class SyncedFiles extends NodeFS {
  /** The code of the latest failed file operation, except for missing files, which PostgreSQL expects. */
  failure: string | undefined;

  override async init(pg: PGlite, options: ModuleOptions): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pg, options);
    const prepare = (module: unknown): void => {
      const { NODEFS: files } = module as { readonly NODEFS: NodeFiles };
      files.stream_ops.fsync = ({ nfd }) => {
        files.tryFSOperation(() => fdatasyncSync(nfd));
        return 0;
      };
      const convert = files.convertNodeCode;
      files.convertNodeCode = (error) => {
        if (error.code !== "ENOENT") this.failure = error.code;
        return convert(error);
      };
    };
    const preRun = [emscriptenOpts.preRun ?? [], prepare].flat();
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}
