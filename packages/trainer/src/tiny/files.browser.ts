import { ConfigError } from "@envs/core";

import type * as node from "./files.ts";

/** A page has no files. */
export const readNamedFile: typeof node.readNamedFile = refuse;

/** A page has no files. */
export const writeFileAtomically: typeof node.writeFileAtomically = refuse;

function refuse(path: string): Promise<never> {
  return Promise.reject(
    new ConfigError(
      `There are no files in a browser, so there is no ${path}. Fetch its bytes, and use readCheckpoint, writeCheckpoint and the model's checkpoint().`,
    ),
  );
}
