import { inject } from "vitest";

/** The URL of a service, which starts if this test is the first to ask. */
export async function serviceUrl(name: "postgres" | "s3"): Promise<string> {
  const response = await fetch(`${inject("services")}/${name}`);
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return answer;
}
