/** The commands that this package adds to the command line. */
export const commands = { "sandbox maths": () => import("./commands/sandbox-maths.ts") };
