/** Whether a name is one of a pattern's, in which `*` stands for anything but a slash. */
export function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern
    .split(/\*+/)
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[^/]*")}$`).test(name);
}
