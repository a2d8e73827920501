/** Browsers use their own `fetch`, so bundles for browsers do not contain undici. */
export const leanFetch: typeof fetch | undefined = undefined;
