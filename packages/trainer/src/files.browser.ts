import { ConfigError } from "@envs/core";

import type * as node from "./files.ts";

export const readInputFile: typeof node.readInputFile = reject;

export const writeFileAtomically: typeof node.writeFileAtomically = reject;

function reject(path: string): Promise<never> {
  return Promise.reject(
    new ConfigError(
      `Browsers cannot access the file ${path}. Fetch its bytes instead, and use readCheckpoint(), writeCheckpoint() and the model's checkpoint() and restore().`,
    ),
  );
}
