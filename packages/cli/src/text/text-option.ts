type Arguments<Name extends string> = Readonly<Partial<Record<Name, string | boolean | undefined>>>;

/** Reads options that take a value: `undefined` for one that is missing, or that has no value. */
export function textOptions<Name extends string>(
  args: Arguments<Name>,
): (name: Name) => string | undefined {
  return (name) => {
    const value = args[name];
    return typeof value === "string" ? value : undefined;
  };
}
