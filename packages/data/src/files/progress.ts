import { channel } from "node:diagnostics_channel";

/** A download in progress. Published on the diagnostics channel `envs.download`. */
export interface DownloadProgress {
  /** The file, as error messages name it. */
  readonly name: string;
  /** The bytes that are on this machine, with those of an earlier attempt. */
  readonly received: number;
  /** The size of the file; `undefined` if the server does not report it. */
  readonly size: number | undefined;
  readonly isDone: boolean;
}

/**
 * A diagnostics channel, not an option: the command line also shows downloads of environments that use another copy of this
 * package.
 */
const downloads = channel("envs.download");

/** The least time between two messages of a download. */
const interval = 100;

/** Returns a function that publishes the progress of a download, not more often than readers need. */
export function progressOf(
  name: string,
  size: number | undefined,
): (received: number, isDone?: boolean) => void {
  let last = -Infinity;
  return (received, isDone = false) => {
    const time = performance.now();
    if (!isDone && time - last < interval) return;
    last = time;
    downloads.publish({ name, received, size, isDone } satisfies DownloadProgress);
  };
}
