import { importPackage } from "../packages/import-package.ts";

/** The exports of `<package>/source`. */
interface SourcePackage<Commands> {
  /** Finds the environment that a place names. `module` is the URL of a module whose default export is the environment. */
  readonly source: (
    place: string,
    folder: string,
  ) => Promise<{ readonly module: string; readonly contentHash: string }>;
  /** Loads what the package does in place of the conformance suite, of a replay and of the rules of an audit. */
  readonly commands?: () => Promise<Commands>;
}

/** The package before the colon of a reference such as `harbor:./tasks`, and the place after it; `undefined` for any other reference. */
export async function importSource<Commands>(
  reference: string,
): Promise<(SourcePackage<Commands> & { readonly place: string }) | undefined> {
  const [, name, place] = /^([a-z][a-z\d-]+):(.+)$/s.exec(reference) ?? [];
  if (name === undefined || place === undefined) return undefined;
  const module = await importPackage<SourcePackage<Commands>>(`${name}/source`, reference);
  return { ...module, place };
}

/** What the package of a reference does itself for its places, such as `checkTasks`; nothing for an environment of another kind. */
export async function sourceCommands<Commands extends object>(
  reference: string,
): Promise<Partial<Commands> & { readonly place: string }> {
  const source = await importSource<Partial<Commands>>(reference);
  return {
    ...((await source?.commands?.()) ?? ({} as Partial<Commands>)),
    place: source?.place ?? "",
  };
}
