/** The URL of the approval page and the URL to poll. The first ends with the code, since clients print it. */
export function approvalAddresses(
  origin: string,
  { code, secret }: { readonly code: string; readonly secret: string },
): { readonly authUrl: string; readonly doneUrl: string } {
  return { authUrl: `${origin}/approve/${code}`, doneUrl: `${origin}/-/v1/done/${secret}` };
}
