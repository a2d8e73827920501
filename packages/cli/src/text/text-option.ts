/** The values of options by their names; `undefined` for those that a command line lacks. */
export type OptionValues<Name extends string> = Readonly<
  Partial<Record<Name, string | boolean | undefined>>
>;

/** Reads options that take a value: `undefined` for one that is missing, or that has no value. */
export function textOptions<Name extends string>(
  args: OptionValues<Name>,
): (name: Name) => string | undefined {
  return (name) => {
    const value = args[name];
    return typeof value === "string" ? value : undefined;
  };
}
