import { inject } from "vitest";

/** Returns a service's URL. The first call of a run starts the service. */
export async function serviceUrl(name: "postgres" | "s3"): Promise<string> {
  const response = await fetch(`${inject("services")}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
