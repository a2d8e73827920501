/** The functions of the host that code can call. Each function takes and returns strings only. */
export interface GuestHost {
  readonly write: (stream: "stdout" | "stderr", text: string) => void;
  /** Calls a function of the host with JSON, and returns JSON. */
  readonly call: (name: string, args: string) => string;
  readonly readFile: (path: string) => string | undefined;
  readonly writeFile: (path: string, text: string) => void;
  readonly removeFile: (path: string) => boolean;
  /** The paths, as JSON. */
  readonly listFiles: () => string;
}

/** Built-ins saved before untrusted code can replace them. */
export interface Guest {
  readonly describe: (error: unknown) => string;
  /** The value as JSON; `undefined` if JSON cannot express it. */
  readonly stringify: (value: unknown) => string | undefined;
  readonly slice: (text: string, end: number) => string;
}

/**
 * Adds `console`, `require` and the functions of the host. Runs inside the sandbox, so it must not refer to anything outside its
 * own text, and functions for the host keep their own references to built-ins, which code may replace.
 */
export function installGuest(host: GuestHost, ...functions: readonly string[]): Guest {
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  // oxlint-disable-next-line unbound-method -- `apply` binds it.
  const { slice } = String.prototype;
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  };

  const describe = (thrown: unknown): string => {
    const { name, message, stack } = Object(thrown) as Error;
    if (typeof message !== "string") return `Uncaught ${inspect(thrown)}\n`;
    return `${name}: ${message}\n${typeof stack === "string" ? stack : ""}`;
  };
  const plain = (_key: string, value: unknown): unknown => {
    if (typeof value === "bigint") return `${value}n`;
    if (value instanceof Map) return { Map: [...value] };
    return value instanceof Set ? { Set: [...value] } : value;
  };
  const inspect = (value: unknown): string => {
    if (typeof value === "function") return `[Function: ${value.name}]`;
    if (value instanceof Error) return describe(value).trimEnd();
    if (typeof value !== "object" || value === null) return String(value);
    try {
      return stringify(value, plain);
    } catch {
      return Array.isArray(value) ? "[Array]" : "[Object]";
    }
  };
  const print =
    (stream: "stdout" | "stderr") =>
    (...values: unknown[]): void =>
      host.write(stream, `${values.map(inspect).join(" ")}\n`);
  const [out, error] = [print("stdout"), print("stderr")];
  define("console", { log: out, info: out, debug: out, warn: error, error });

  for (const name of functions)
    define(name, (...args: unknown[]): unknown => parse(host.call(name, stringify(args))));

  const missing = (path: unknown): Error =>
    Object.assign(new Error(`ENOENT: no such file or directory, open '${String(path)}'`), {
      code: "ENOENT",
    });
  const readFileSync = (path: string | number): string => {
    const text = host.readFile(path === 0 ? "/dev/stdin" : String(path));
    if (text === undefined) throw missing(path);
    return text;
  };
  const writeFileSync = (path: string, text: unknown): void => host.writeFile(path, String(text));
  const unlinkSync = (path: string): void => {
    if (!host.removeFile(path)) throw missing(path);
  };
  const existsSync = (path: string): boolean => host.readFile(path) !== undefined;
  const readdirSync = (folder = "."): readonly string[] => {
    const prefix = folder === "." ? "" : `${folder.replace(/^\.\//, "").replace(/\/$/, "")}/`;
    const paths = (parse(host.listFiles()) as string[]).filter((path) => path.startsWith(prefix));
    return [...new Set(paths.map((path) => path.slice(prefix.length).split("/")[0]!))];
  };
  const appendFileSync = (path: string, text: unknown): void =>
    writeFileSync(path, `${host.readFile(path) ?? ""}${String(text)}`);
  const reading = { readFileSync, existsSync, readdirSync };
  const fs = { ...reading, writeFileSync, appendFileSync, unlinkSync, mkdirSync: () => {} };

  const modules = new Map<string, { exports: unknown }>();
  const requireFrom =
    (folder: string) =>
    (name: string): unknown => {
      if (name === "fs" || name === "node:fs") return fs;
      const base = `${folder}/${name}`.replaceAll("/./", "/");
      const path = [base, `${base}.js`, `${base}.json`].find(existsSync);
      if (!name.startsWith(".") || path === undefined)
        throw new Error(`Cannot find module '${name}'. There are "fs" and the sandbox's files.`);
      return load(path);
    };
  const load = (path: string): unknown => {
    const text = readFileSync(path);
    if (path.endsWith(".json")) return parse(text);
    const known = modules.get(path);
    if (known !== undefined) return known.exports;
    const module = { exports: {} as unknown };
    modules.set(path, module);
    // oxlint-disable-next-line no-implied-eval -- it runs inside the sandbox.
    const run = new Function("module", "exports", "require", text) as (...args: unknown[]) => void;
    run(module, module.exports, requireFrom(path.slice(0, path.lastIndexOf("/"))));
    return module.exports;
  };
  define("require", requireFrom("."));

  return {
    describe,
    stringify: (value) => {
      try {
        return stringify(value);
      } catch {
        return undefined;
      }
    },
    slice: (text, end) => apply<string, number[], string>(slice, text, [0, end]),
  };
}
