import { checkBubblewrap } from "./bubblewrap/check.ts";
import { installPackages } from "./python/packages/install.ts";
import { readRequirements } from "./python/packages/requirements.ts";
import { checkPackages } from "./python/packages/store.ts";
import { snapshotFiles, snapshotPath } from "./python/snapshot.ts";

export interface PythonInstallOptions {
  /** The packages, as in the option `packages` of `python()`; their order does not matter. */
  readonly packages: readonly string[];
  /** Called with each step, such as `Downloading sympy by python3 -m pip`. */
  readonly onStep: (step: string) => void;
}

/** The packages that `python()` finds on this machine after the installation. */
export interface PythonInstallation {
  readonly packages: readonly string[];
  readonly snapshot: string;
}

/** Fills the cache of `python()`: its packages, and its snapshot. Afterwards it needs no network. */
export async function installPython(options: PythonInstallOptions): Promise<PythonInstallation> {
  const { packages, onStep } = options;
  const requirements = readRequirements(packages);
  await checkBubblewrap();
  if (requirements.length > 0) checkPackages(await installPackages(requirements, onStep));
  onStep("Starting Python once, and saving its memory");
  await snapshotFiles(requirements);
  return { packages: requirements.map(({ line }) => line), snapshot: snapshotPath(requirements) };
}
