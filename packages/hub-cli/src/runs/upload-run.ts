import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { FailureError } from "@envs/cli/kit";
import { isHubRequestError, type RunUpload, type RunUploadState } from "@envs/hub-client";

import type { Connection } from "../connection/connect.ts";

const compress = promisify(gzip);
/** The pauses before each retry of a request without a response. */
const pausesMs = [500, 1000, 2000, 4000, 8000];

/** The progress of an upload. Parts that the hub had already count as sent. */
export interface UploadProgress {
  readonly sent: number;
  readonly parts: number;
}

/** How to upload a run. */
export interface UploadOptions {
  readonly upload: RunUpload;
  /** Returns the lines of a part, or the bytes of a file. */
  readonly contentOf: (part: number) => string | Promise<Uint8Array>;
  readonly onProgress: (progress: UploadProgress) => void;
}

/**
 * Uploads a run: describes it, sends the parts that the hub lacks, and completes it. An interrupted upload continues when the
 * same run is uploaded again. Repeats requests while the hub is unreachable.
 */
export async function uploadRun(
  { client, url }: Pick<Connection, "client" | "url">,
  { upload, contentOf, onProgress }: UploadOptions,
): Promise<RunUploadState> {
  const repeat = async <Result>(send: () => Promise<Result>): Promise<Result> => {
    for (const pause of pausesMs) {
      try {
        return await send();
      } catch (error) {
        if (!isTemporary(error)) throw error;
      }
      await setTimeout(pause);
    }
    return await send().catch((error: unknown) => {
      throw isTemporary(error)
        ? new FailureError(
            `${error instanceof Error ? error.message : String(error)}\nThe upload to ${url} is not complete. To continue it, push the run again.`,
          )
        : error;
    });
  };
  const { id, state, missing, ...rest } = await repeat(() => client.createRun(upload));
  if (state === "complete") return { id, state, missing, ...rest };
  const parts = upload.parts.length;
  let sent = parts - missing.length;
  onProgress({ sent, parts });
  for (const part of missing) {
    const content = new Uint8Array(await compress(await contentOf(part)));
    await repeat(() => client.uploadRunPart({ run: id, part, content }));
    sent += 1;
    onProgress({ sent, parts });
  }
  return await repeat(() => client.completeRun({ run: id }));
}

/** Whether a repetition may succeed: the hub restarts, is overloaded, or received a damaged part. */
function isTemporary(error: unknown): boolean {
  if (!isHubRequestError(error)) return false;
  const { status = 0, code } = error;
  return code === "unreachable" || code === "run-part-invalid" || status >= 500;
}
