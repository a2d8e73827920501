/** An answer's status and its body, if it has one. */
export async function statusAndBody(
  asked: Promise<Response>,
): Promise<[status: number, body: unknown]> {
  const response = await asked;
  const text = await response.text();
  return [response.status, text === "" ? undefined : JSON.parse(text)];
}
