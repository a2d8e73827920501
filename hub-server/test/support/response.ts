/** A response's status, and its JSON body if it has one. */
export async function statusAndBody(
  pending: Promise<Response>,
): Promise<[status: number, body: unknown]> {
  const response = await pending;
  const text = await response.text();
  return [response.status, text === "" ? undefined : JSON.parse(text)];
}
