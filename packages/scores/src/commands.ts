/** The commands that this package adds to the command line. */
export const commands = { "maths install": () => import("./commands/maths-install.ts") };
