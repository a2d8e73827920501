import { define, type Definition } from "./environment/definition.ts";
import { findEnvironment, findLoad } from "./environment/find-environment.ts";
import { ImportError } from "./import-error.ts";
import { formatCode } from "./package/format.ts";
import { importReportText, readmeText, testText } from "./package/package-texts.ts";
import { type ImportReport, reportOf } from "./package/report.ts";
import { pythonFunctions, readRuntime, runtimeFiles } from "./package/runtime-files.ts";
import { withImports } from "./package/write-module.ts";
import { parsePython } from "./python/parse.ts";
import type { Module } from "./python/syntax.ts";
import type { PythonPackage } from "./source/read-package.ts";
import { openFiles, translateModule } from "./translate/module.ts";
import type { File, Knowledge } from "./translate/scope.ts";

/** A translated package, before it is written. */
export interface ImportedPackage {
  readonly name: string;
  readonly description: string;
  /** Texts by their paths in the package. */
  readonly files: ReadonlyMap<string, string>;
  /** The packages of this project that it needs, such as `data`. */
  readonly dependencies: readonly string[];
  readonly report: ImportReport;
}

/** Names from outside may be longer in one place than in another: the translation repeats until it learns nothing new. */
const maxPasses = 6;

/** Translates an environment of verifiers 0.3.1 or earlier. Throws an `ImportError` for other packages. */
export async function importVerifiers(source: PythonPackage): Promise<ImportedPackage> {
  const modules = [...source.files]
    .filter(([path]) => path.endsWith(".py"))
    .map(([path, text]) => parsePython(path, text));
  const knowledge: Knowledge = {
    asyncNames: new Set(),
    datasetNames: new Set(),
    datasetParameters: new Set(),
  };
  let translated = translateOnce(source, modules, knowledge);
  for (let pass = 1, before = -1; pass < maxPasses && before !== sizeOf(knowledge); pass += 1) {
    before = sizeOf(knowledge);
    translated = translateOnce(source, modules, knowledge);
  }
  const { codes, files, definition } = translated;
  const output = new Map<string, string>();
  for (const [name, code] of codes) output.set(`src/${name}`, await formatCode(code));
  const all = [...codes.values()].join("\n");
  for (const name of runtimeFiles)
    if (all.includes(`"./${name}"`))
      output.set(`src/${name}`, await formatCode(await readRuntime(name)));
  const python = await pythonFunctions(all);
  if (python !== undefined) output.set("src/python.ts", await formatCode(python));
  const dependencies = ["data", "maths"].filter((name) =>
    [...output.values()].some((text) => text.includes(`@envs/${name}"`)),
  );
  const report = reportOf({ source, files: [...files.values()], definition, output });
  output.set("test/environment.test.ts", testText);
  output.set("README.md", readmeText(source, report));
  output.set("IMPORT.md", importReportText(source, report));
  return {
    name: source.name,
    description: source.description,
    files: output,
    dependencies,
    report,
  };
}

function sizeOf({ asyncNames, datasetNames, datasetParameters }: Knowledge): number {
  return asyncNames.size + datasetNames.size + datasetParameters.size;
}

interface Translated {
  readonly codes: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, File>;
  readonly definition: Definition;
}

function translateOnce(
  source: PythonPackage,
  modules: readonly Module[],
  knowledge: Knowledge,
): Translated {
  const files = new Map(
    openFiles(modules, (from, name) => resolveModule(modules, from, name), knowledge),
  );
  const found = findLoad(files);
  if (found === undefined) {
    const problem = modules.find((module) => module.problem !== undefined)?.problem;
    throw new ImportError(
      problem === undefined
        ? `${source.name} has no function load_environment(). It is not an environment of verifiers 0.3.1 or earlier. For 0.4, see the migration guide.`
        : `${source.name} has no function load_environment() that can be read. ${problem}. Fix the line.`,
    );
  }
  const { load, file: home } = found;
  const environment = findEnvironment(home, load);
  if (typeof environment === "string")
    throw new ImportError(
      `${source.name}: ${environment}. Import the class by its name, and return one environment.`,
    );
  // The definition sees the names of the module as imports.
  const names = new Map(
    [...home.names].map(([name, meaning]) => [
      name,
      ["function", "class", "constant"].includes(meaning.kind)
        ? ({ kind: "own", file: home.module.path, name } as const)
        : meaning,
    ]),
  );
  const index: File = {
    ...home,
    output: "index.ts",
    names,
    todos: [],
    runtime: new Set(),
    imports: new Set(),
    constants: new Map(),
    files,
  };
  // Constants get their types before the definition uses them.
  translateModule(
    { ...home, todos: [], runtime: new Set(), imports: new Set() },
    new Set(home.names.keys()),
  );
  const definition = define(index, environment, source);
  const code = [definition.head, definition.code].filter((part) => part !== "").join("\n\n");
  const codes = new Map([["index.ts", withImports(index, "", code)]]);
  const wanted = new Map<string, Set<string>>();
  const queue = [...index.imports];
  for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
    const [path, name] = entry.split(" ") as [string, string];
    const own = wanted.get(path) ?? new Set();
    if (own.has(name)) continue;
    wanted.set(path, own.add(name));
    const file = files.get(path);
    if (file === undefined) continue;
    file.todos.length = 0;
    const text = translateModule(file, own);
    codes.set(file.output, withImports(file, `// Translated from ${path}.\n`, text));
    queue.push(...file.imports);
  }
  return {
    codes,
    files: new Map([["index", index], ...[...files].filter(([path]) => wanted.has(path))]),
    definition,
  };
}

/** The module of the package that an import names; `undefined` for those of other packages. */
function resolveModule(modules: readonly Module[], from: Module, name: string): Module | undefined {
  const dots = /^\.*/.exec(name)![0].length;
  const parts = name
    .slice(dots)
    .split(".")
    .filter((part) => part !== "");
  const folder = from.path.split("/").slice(0, dots === 0 ? 0 : -dots);
  const bases = dots > 0 ? [folder] : [[], from.path.split("/").slice(0, -1), ["src"]];
  for (const base of bases) {
    const path = [...base, ...parts].join("/");
    const found = modules.find(
      (module) =>
        module.path === `${path}.py` ||
        module.path === (path === "" ? "__init__.py" : `${path}/__init__.py`),
    );
    if (found !== undefined && (dots > 0 || found !== from)) return found;
  }
  return undefined;
}
