/** The commands that this package adds to the command line. */
export const commands = { audit: () => import("./commands/audit.ts") };
