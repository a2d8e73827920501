import { registerHooks } from "node:module";

/** The modules that each module imports, by URL. Node imports a module once, so this is kept for the whole process. */
const imports = new Map<string, Set<string>>();

/** Imports a module, and records what it imports in turn. Imports that run later, in an episode, are not recorded. */
export async function importRecorded(url: string): Promise<unknown> {
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      if (context.parentURL !== undefined) record(context.parentURL, resolved.url);
      return resolved;
    },
  });
  try {
    return await import(url);
  } finally {
    hooks.deregister();
  }
}

function record(importer: string, imported: string): void {
  const known = imports.get(importer) ?? new Set();
  imports.set(importer, known.add(imported));
}

/** The URLs of a module and of all that it imports, directly or not, as far as `isIncluded` follows them. */
export function importedModules(
  entry: string,
  isIncluded: (url: string) => boolean,
): readonly string[] {
  const reached = new Set([entry]);
  // The loop also visits members that are added to the set meanwhile.
  for (const module of reached)
    for (const imported of imports.get(module) ?? [])
      if (isIncluded(imported)) reached.add(imported);
  return [...reached];
}
