import { readFile } from "node:fs/promises";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../src/runtime");

const namesOf: Readonly<Record<string, readonly string[]>> = {
  "todo.ts": ["todo", "passTodo"],
  "dataset.ts": ["loadDataset", "loadFiles", "Dataset", "examples"],
  "files.ts": ["TextFile"],
  "parsers.ts": [
    "Parser",
    "XMLParser",
    "ThinkParser",
    "MaybeThinkParser",
    "extractBoxedAnswer",
    "extractHashAnswer",
  ],
};

/** The file of `runtime` that a name comes from, if it is not `verifiers.ts`. */
export const runtimeFileOf: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(namesOf).flatMap(([file, names]) => names.map((name) => [name, file])),
);

/** The files of `runtime` that are copied as they are if code imports them. */
export const runtimeFiles: readonly string[] = [...Object.keys(namesOf), "verifiers.ts"];

/** A file of `runtime` as it is. */
export function readRuntime(name: string): Promise<string> {
  return readFile(join(folder, name), "utf8");
}

/** The functions of Python that code calls as `py.name`, and those that they call. */
export async function pythonFunctions(code: string): Promise<string | undefined> {
  const used = new Set([...code.matchAll(/\bpy\.(\w+)/g)].map((match) => match[1]!));
  if (used.size === 0) return undefined;
  const text = await readRuntime("python.ts");
  const [head, ...blocks] = text.split(
    /\n(?=(?:\/\*\*|function |export (?:function|const|class|interface) ))/,
  );
  const declarations = joinComments(blocks).map((block) => ({
    block,
    name:
      /(?:function|const|class|interface) (\w+)/.exec(
        block.replace(/^\/\*\*[\s\S]*?\*\/\n/, ""),
      )?.[1] ?? "",
  }));
  const chosen = new Set<string>();
  const queue = [...used];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (chosen.has(name)) continue;
    chosen.add(name);
    const own = declarations.find((declaration) => declaration.name === name)?.block ?? "";
    for (const other of declarations)
      if (new RegExp(`\\b${other.name}\\b`).test(own.replace(/\/\*\*[\s\S]*?\*\//g, "")))
        queue.push(other.name);
  }
  const kept = declarations.filter(({ name }) => chosen.has(name)).map(({ block }) => block.trim());
  const imports = chosen.has("Random") ? head! : head!.replace(/^import .*\n/m, "");
  return [imports.trim(), ...kept].join("\n\n");
}

/** A comment belongs to the declaration after it. */
function joinComments(blocks: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last !== undefined && /^\/\*\*[^]*\*\/\s*$/.test(last))
      joined[joined.length - 1] = `${last.trimEnd()}\n${block}`;
    else joined.push(block);
  }
  return joined;
}
