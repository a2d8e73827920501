import type { FastifyInstance } from "fastify";

import type { Hub } from "../../platform/hub/hub.ts";
import type { Renderer } from "../package/render/renderer.ts";
import { accountRoutes } from "./account-routes.tsx";
import { accountSettings } from "./account-settings.tsx";
import { approveRoutes } from "./approve-routes.tsx";
import { dataSettings } from "./data-settings.tsx";
import { invitationSettings } from "./invitation-settings.tsx";
import { logSettings } from "./log-settings.tsx";
import { mailRoutes } from "./mail-routes.tsx";
import { manageUser } from "./manage-user.tsx";
import { organisationSettings } from "./organisation-settings.tsx";
import { ownLists } from "./own-lists.tsx";
import { providerRoutes } from "./provider-routes.tsx";
import { secondFactorSettings } from "./second-factor-settings.tsx";
import { sessionSettings } from "./session-settings.tsx";
import { signInRoutes } from "./sign-in-routes.tsx";
import { signInSettings } from "./sign-in-settings.tsx";
import { stagedSettings } from "./staged-settings.tsx";
import { termsRoutes } from "./terms-routes.tsx";
import { tokenSettings } from "./token-settings.tsx";
import { userPage } from "./user-page.tsx";

/** Registers the pages of users: signing in, settings, profiles, and approvals of command-line clients. */
export function accountPages(app: FastifyInstance, hub: Hub, renderer: Renderer): void {
  accountRoutes(app, hub);
  accountSettings(app, hub);
  approveRoutes(app, hub);
  dataSettings(app, hub);
  invitationSettings(app, hub);
  logSettings(app, hub);
  mailRoutes(app, hub);
  manageUser(app, hub);
  organisationSettings(app, hub);
  ownLists(app, hub);
  providerRoutes(app, hub);
  secondFactorSettings(app, hub);
  sessionSettings(app, hub);
  signInRoutes(app, hub);
  signInSettings(app, hub);
  stagedSettings(app, hub, renderer);
  termsRoutes(app, hub);
  tokenSettings(app, hub);
  userPage(app, hub);
}
