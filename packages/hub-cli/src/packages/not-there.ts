import { isHubRequestError } from "@envs/hub-client";
import { clean, FailureError } from "@envs/terminal";

/** The error for a package that a hub does not have, or does not show. */
export function notThere(name: string, url: string): FailureError {
  return new FailureError(
    `${clean(name)} is not on ${url}, or you may not read it. Look for it: envs search. For what is private: envs login`,
  );
}

/** What a hub answers about a package; its “not found” says where to look. */
export async function about<Answer>(
  { name, url }: { readonly name: string; readonly url: string },
  answer: Promise<Answer>,
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw isHubRequestError(error) && error.status === 404 ? notThere(name, url) : error;
  }
}
