import { fdatasyncSync } from "node:fs";

import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

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
export class SyncedFiles extends NodeFS {
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
