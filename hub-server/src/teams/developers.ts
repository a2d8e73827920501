/** The team of everyone in an organisation, as on npm: it may write to each new package, until an administrator says otherwise. */
export const developers = "developers";
