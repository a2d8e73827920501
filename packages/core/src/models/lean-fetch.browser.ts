/** A browser has its own `fetch` alone, and bundles for it no part of Node. */
export const leanFetch: typeof fetch | undefined = undefined;
