import type { LoadedEnvironment } from "../load-environment.ts";

export async function smoke(
  _loaded: LoadedEnvironment,
  _options: {
    readonly seed: number | undefined;
    readonly threads: number | undefined;
    readonly isJson: boolean;
    readonly note: (text: string) => void;
  },
): Promise<number> {
  return 1;
}
