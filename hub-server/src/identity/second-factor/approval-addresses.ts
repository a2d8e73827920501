/** Where a person decides, and where the command line hears of it. Clients print the first, so that it ends with the code. */
export function approvalAddresses(
  origin: string,
  { code, secret }: { readonly code: string; readonly secret: string },
): { readonly authUrl: string; readonly doneUrl: string } {
  return { authUrl: `${origin}/approve/${code}`, doneUrl: `${origin}/-/v1/done/${secret}` };
}
