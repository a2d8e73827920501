import type { PyodideAPI } from "pyodide";

type FileSystem = PyodideAPI["FS"];

/** A file of Emscripten's file system in memory. */
interface Node {
  usedBytes?: number;
  contents: unknown;
}

interface Stream {
  readonly node: Node;
  readonly position: number;
}

interface MemoryFiles {
  readonly ops_table: {
    readonly file: {
      readonly node: { setattr: (node: Node, attributes: { readonly size?: number }) => void };
      readonly stream: { write: (...args: WriteArguments) => number };
    };
  };
}

type WriteArguments = [
  stream: Stream,
  buffer: unknown,
  offset: number,
  length: number,
  position: number | undefined,
  canOwn?: boolean,
];

/** Limits the size of Python's files from now on, which are in memory outside of Python's heap. */
export function limitDisk({ FS, ERRNO_CODES }: PyodideAPI, limit: number): void {
  const { file } = (FS.filesystems.MEMFS as MemoryFiles).ops_table;
  const { write } = file.stream;
  const { setattr } = file.node;
  let used = 0;
  const grow = (node: Node, size: number): void => {
    const growth = size - (node.usedBytes ?? 0);
    if (growth <= 0) return;
    if (used + growth > limit) throw new FS.ErrnoError(ERRNO_CODES["ENOSPC"] ?? 51);
    used += growth;
  };
  file.stream.write = (...args) => {
    const [stream, , , length, position] = args;
    grow(stream.node, (position ?? stream.position) + length);
    return write(...args);
  };
  file.node.setattr = (node, attributes) => {
    if (attributes.size !== undefined) {
      grow(node, attributes.size);
      used -= Math.max(0, (node.usedBytes ?? 0) - attributes.size);
    }
    setattr(node, attributes);
  };
}

export function readFile(FS: FileSystem, path: string): string {
  if (!(FS.analyzePath(path) as { readonly exists: boolean }).exists)
    throw new Error(`The file ${path} does not exist in the sandbox.`);
  return Buffer.from(FS.readFile(path) as Uint8Array).toString("base64");
}

export function writeFile(FS: FileSystem, path: string, content: string): void {
  FS.mkdirTree(path.slice(0, path.lastIndexOf("/")) || "/");
  FS.writeFile(path, Buffer.from(content, "base64"));
}
