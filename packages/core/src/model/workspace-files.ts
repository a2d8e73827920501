/** The text of each file of a folder, by its path in the folder, with `/` between names. */
export type WorkspaceFiles = Readonly<Record<string, string>>;

/** The new text of each file that has changed; `null` for a file that was removed. */
export type WorkspaceChanges = Readonly<Record<string, string | null>>;
