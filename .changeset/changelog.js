/** Writes changelogs that a person would read: the text of each changeset, and no list of internal updates. */
export default {
  getReleaseLine: async ({ summary }) => `- ${summary.trim().replaceAll("\n", "\n  ")}`,
  getDependencyReleaseLine: async () => "",
};
