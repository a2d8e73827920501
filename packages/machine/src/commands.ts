/** The commands that this package adds to the command line. */
export const commands = {
  "machine doctor": () => import("./commands/doctor.ts"),
};
