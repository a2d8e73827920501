/** The commands that this package adds to the command line. */
export const commands = {
  "sandbox doctor": () => import("./commands/doctor.ts"),
  "sandbox install": () => import("./commands/install.ts"),
};
