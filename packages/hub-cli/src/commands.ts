import { clientErrors, hubErrorAreas } from "@envs/hub-client/error-reference";

/** The errors that hubs and their client report, by area. */
export const errors = {
  "Hub client": clientErrors,
  ...Object.fromEntries(
    Object.entries(hubErrorAreas).map(([area, entries]) => [`Hub: ${area.toLowerCase()}`, entries]),
  ),
};
