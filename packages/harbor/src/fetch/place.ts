import { ConfigError } from "@envs/core";

/** Where tasks are: a folder of this computer, a git repository, or a data set of Hugging Face. */
export type Place =
  | { readonly kind: "folder"; readonly folder: string }
  | {
      readonly kind: "git";
      readonly url: string;
      /** A commit, a branch or a tag. */
      readonly revision: string;
      /** A folder of the repository. */
      readonly folder: string;
    }
  | {
      readonly kind: "hub";
      readonly name: string;
      readonly revision: string | undefined;
      readonly folder: string;
    };

const gitUrl = /^(?:(?:https?|ssh|git|file):\/\/|[\w.-]+@[\w.-]+:)|\.git(?:#|$)/u;

/**
 * Reads what follows `harbor:`, such as `tasks`, `https://git.example.com/org/tasks.git#<commit>:<folder>` or
 * `hf:<owner>/<name>@<revision>/<folder>`.
 */
export function parsePlace(text: string): Place {
  const hub = /^hf:(?:\/\/datasets\/)?([^/@]+\/[^/@]+)(?:@([^/]+))?(?:\/(.*))?$/u.exec(text);
  if (hub !== null) {
    const [, name = "", revision, folder = ""] = hub;
    return { kind: "hub", name, revision, folder: inside(folder, text) };
  }
  if (text.startsWith("hf:"))
    throw new ConfigError(
      `${JSON.stringify(text)} is not a data set. Write hf:<owner>/<name>, or hf:<owner>/<name>@<revision>/<folder>.`,
    );
  const place = text.replace(/^git\+/u, "");
  if (place === text && !gitUrl.test(text)) return { kind: "folder", folder: text };
  const [, url = "", revision = "HEAD", folder = ""] =
    /^([^#]+)(?:#([^:]*)(?::(.*))?)?$/su.exec(place) ?? [];
  if (url === "" || url.startsWith("-") || !/^[\w][\w./@+-]*$/u.test(revision || "HEAD"))
    throw new ConfigError(
      `${JSON.stringify(text)} is not a git repository. Write its URL, then # and a commit, a branch or a tag.`,
    );
  return { kind: "git", url, revision: revision || "HEAD", folder: inside(folder, text) };
}

function inside(folder: string, text: string): string {
  if (!folder.startsWith("/") && !folder.split("/").includes("..")) return folder;
  throw new ConfigError(`The folder ${folder} of ${text} leads out of it.`);
}
