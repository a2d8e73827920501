/** Blocks its thread. */
export function block({ ms }: { readonly ms: number }): number {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return ms;
}

export const square = (value: number): number => value * value;

export async function fail(message: string): Promise<never> {
  await Promise.resolve();
  throw Object.assign(new RangeError(message), { code: "E_GRADE", issues: [{ path: ["a"] }] });
}

export const unsendable = (): unknown => () => 1;

export const exit = (code: number): never => process.exit(code);
