/** Which session a request belongs to: the value of the cookie `session`. */
export function sessionCookie(header: string | undefined): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === "session" && value !== undefined && value !== "") return value;
  }
  return undefined;
}

/** What tells a client to send the session's id with each request; scripts of web pages cannot read it. */
export function setSessionCookie(id: string): string {
  return `session=${id}; Path=/; HttpOnly; SameSite=Lax`;
}
