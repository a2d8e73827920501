import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";

const readBytes = 64 * 1024;

/**
 * A new file that others read while it is written. Readers wait for the last part until the writer confirms the file, so that
 * no reader has all of a file that is rejected.
 */
export interface GrowingFile {
  append(part: Uint8Array): Promise<void>;
  /** Syncs the file to the disk. */
  sync(): Promise<void>;
  /** Releases the last part to the readers or, with an error, fails them. Afterwards the file may be moved or deleted. */
  end(error?: Error): void;
  /** Resolves when readers have something to read. Rejects if the file fails before. */
  readonly begun: Promise<void>;
  /** Reads the file from its start. Undefined after its end. */
  read(): Readable | undefined;
}

/** Creates a growing file. */
export async function growingFile(path: string): Promise<GrowingFile> {
  const file = await open(path, "wx+");
  let [written, readable] = [0, 0];
  let failure: Error | undefined;
  let isEnded = false;
  /** The writer, and each reader. */
  let users = 1;
  const begun = Promise.withResolvers<void>();
  begun.promise.catch(() => {});
  let change = Promise.withResolvers<void>();
  const notify = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const leave = async (): Promise<void> => {
    users -= 1;
    if (users === 0) await file.close();
  };
  return {
    begun: begun.promise,
    async append(part) {
      await file.write(part, 0, part.byteLength, written);
      readable = written;
      written += part.byteLength;
      if (readable > 0) begun.resolve();
      notify();
    },
    sync: () => file.datasync(),
    end(error) {
      readable = written;
      failure = error;
      isEnded = true;
      if (error === undefined) begun.resolve();
      else begun.reject(error);
      notify();
      void leave();
    },
    read() {
      if (isEnded) return undefined;
      users += 1;
      const reader = Readable.from(parts(), { objectMode: false });
      // Also of a reader that has not read anything.
      reader.once("close", () => void leave());
      return reader;
    },
  };

  async function* parts(): AsyncGenerator<Buffer> {
    let position = 0;
    for (;;) {
      if (failure !== undefined) throw failure;
      if (position < readable) {
        const part = await readPart(file, position, readable);
        position += part.byteLength;
        yield part;
      } else if (isEnded) return;
      else await change.promise;
    }
  }
}

async function readPart(file: FileHandle, position: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(readBytes, end - position));
  const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, position);
  return buffer.subarray(0, bytesRead);
}
