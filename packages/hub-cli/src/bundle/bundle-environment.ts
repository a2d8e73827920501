import { createRequire, isBuiltin } from "node:module";
import { dirname, relative } from "node:path";

import { packageRoot, readPackageJson } from "@envs/cli/kit/environments";
import { messageOf } from "@envs/core/engine";
import { type Plugin, rolldown } from "rolldown";
import { parseSync, Visitor } from "rolldown/utils";

/** An environment and the core that it was built with, as one ES module. */
interface EnvironmentBundle {
  readonly code: string;
  /** Whether the environment's own code calls models, such as a judge. */
  readonly callsModels: boolean;
  readonly problem?: undefined;
}

/** A bundle, or why the environment only runs in Node. */
type BundleOutcome = EnvironmentBundle | { readonly problem: string };

const entryId = "\0envs-bundle";

/**
 * Bundles the environment that a module exports. The bundle exports `request`, which `bundleClient` of `@envs/records/bundle`
 * calls. Deterministic: the code has no paths of this machine.
 */
export async function bundleEnvironment(file: string, root: string): Promise<BundleOutcome> {
  const importers = new Map<string, string[]>();
  try {
    await using bundle = await rolldown({
      input: entryId,
      cwd: root,
      platform: "browser",
      tsconfig: false,
      logLevel: "silent",
      experimental: { attachDebugInfo: "none" },
      plugins: [entryModule(file), externalBuiltins(importers)],
    });
    const { output } = await bundle.generate({
      format: "es",
      codeSplitting: false,
      comments: false,
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    });
    const [{ code, moduleIds }] = output;
    const [missing] = externalImports(code);
    if (missing !== undefined) {
      const all = importers.get(missing) ?? [];
      const importer = all.find((id) => moduleIds.includes(id)) ?? all[0] ?? file;
      return { problem: await externalProblem(missing, importer, root) };
    }
    const callsModels = moduleIds.some((id) => /[\\/]models[\\/].*[\\/]http-post\./.test(id));
    return { code, callsModels };
  } catch (error) {
    return { problem: `It cannot be bundled: ${messageOf(error).split("\n", 1)[0] ?? ""}` };
  }
}

const runtime = createRequire(import.meta.url).resolve("@envs/records/bundle");

/** The module that a bundle starts with. The core that answers is the one that the environment resolves. */
function entryModule(file: string): Plugin {
  return {
    name: "envs-bundle-entry",
    resolveId(source, importer) {
      if (source === entryId) return entryId;
      if (importer === entryId)
        return source === "@envs/records/bundle" ? runtime : this.resolve(source, file);
      const isRuntime = importer !== undefined && dirname(importer) === dirname(runtime);
      return isRuntime && source.startsWith("@envs/core") ? this.resolve(source, file) : null;
    },
    load: (id) =>
      id === entryId
        ? `import { bundleRequests } from "@envs/records/bundle";
import environment from ${JSON.stringify(file)};
export const request = bundleRequests(environment);`
        : null,
  };
}

/** Leaves imports of Node's modules out of the bundle, and records which files import which packages and modules of Node. */
function externalBuiltins(importers: Map<string, string[]>): Plugin {
  return {
    name: "envs-external-builtins",
    resolveId(source, importer) {
      if (importer === undefined || /^[./\0]/.test(source)) return null;
      importers.set(source, [...(importers.get(source) ?? []), importer]);
      return isBuiltin(source) ? { id: source, external: true, moduleSideEffects: false } : null;
    },
  };
}

async function externalProblem(specifier: string, importer: string, root: string): Promise<string> {
  const path = await pathOf(importer, root);
  return isBuiltin(specifier)
    ? `${path} imports ${specifier}, which only Node has.`
    : `${path} imports ${specifier}, which is not installed.`;
}

/** A path in this package, or in another one, which begins with that package's name. */
async function pathOf(file: string, root: string): Promise<string> {
  const local = relative(root, file);
  const [, installed] = /.*[\\/]node_modules[\\/](.*)$/.exec(file) ?? [];
  const folder = local.startsWith("..") ? packageRoot(file) : undefined;
  const name = folder === undefined ? undefined : (await readPackageJson(folder)).name;
  const linked = name === undefined ? local : `${name}/${relative(folder!, file)}`;
  return (installed ?? linked).replaceAll("\\", "/");
}

/** Matches all code that imports or requires, and some that does not, such as a sentence in a prompt. */
const mayImport = /\bimport(?:\s*["'{*(]|\s+[\w$])|require\s*\(/;

/** The modules that the code of a bundle imports or requires, which it does not contain. */
function externalImports(code: string): ReadonlySet<string> {
  const specifiers = new Set<string>();
  // To parse a bundle takes as long as to make it.
  if (!mayImport.test(code)) return specifiers;
  const add = (source: { readonly type: string; readonly value?: unknown } | undefined): void => {
    if (source?.type === "Literal" && typeof source.value === "string")
      specifiers.add(source.value);
  };
  const visitor = new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ImportExpression: ({ source }) => add(source),
    CallExpression({ callee, arguments: [argument] }) {
      if (callee.type === "Identifier" && /^(?:__)?require$/.test(callee.name)) add(argument);
    },
  });
  visitor.visit(parseSync("bundle.js", code).program);
  return specifiers;
}
