import { testEveryCommand } from "./support/guides/every-command.ts";

// Separate from the guides, so that both run at once.
testEveryCommand((document) => !document.startsWith("docs/"));
