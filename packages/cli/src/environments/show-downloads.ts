import { subscribe } from "node:diagnostics_channel";

/** The progress that `@envs/data` publishes. The type is repeated: an environment has its own copy of the package. */
interface Download {
  readonly name: string;
  readonly received: number;
  readonly size: number | undefined;
  readonly isDone: boolean;
}

/** The minimum size of a reported download: smaller files arrive before a user could read the line. */
const reportedSize = 2 ** 20;

/** Shows the downloads of datasets on `stream`: one updated line in a terminal, a line at the start of each file elsewhere. */
export function showDownloads(stream: NodeJS.WriteStream): void {
  const started = new Set<string>();
  subscribe("envs.download", (message) => {
    const download = message as Download;
    if (stream.isTTY) {
      stream.write(`\r\u001B[2K${download.isDone ? "" : line(download).slice(0, stream.columns)}`);
      return;
    }
    const { name, size, isDone } = download;
    if (started.has(name) || isDone || (size ?? reportedSize) < reportedSize) return;
    started.add(name);
    stream.write(`${line(download)}\n`);
  });
}

function line({ name, received, size }: Download): string {
  const total = size === undefined ? "" : ` of ${megabytes(size)}`;
  return `Downloading ${name}: ${megabytes(received)}${total} MB`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
