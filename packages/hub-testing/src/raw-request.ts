import { request } from "node:http";

/** An answer as it came, not decoded. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Asks with these headers and no others; `fetch` adds its own and decodes what comes back. */
export async function rawRequest(
  url: string,
  { method = "GET", ...headers }: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  return await new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => void chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    asked.on("error", reject);
    asked.end();
  });
}
