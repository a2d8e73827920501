/** The commands that this package adds to the command line. */
export const commands = { optimize: () => import("./commands/optimize.ts") };
