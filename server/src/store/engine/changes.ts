import { accessChanges, signingChanges, workspaceChanges } from '../access/access.ts';
import { childWorkspaceChanges } from '../access/child-workspaces.ts';
import { connectKeyChanges } from '../access/connect-keys.ts';
import { dashboardChanges } from '../access/dashboard-sessions.ts';
import { madeKeyChanges } from '../access/made-keys.ts';
import { caChanges } from '../certificate/ca-accounts.ts';
import { certificateChanges } from '../certificate/issuance.ts';
import { movedChanges } from '../certificate/moved-certificates.ts';
import { updateChanges } from '../domain/domain-updates.ts';
import { domainChanges, moveChanges } from '../domain/domains.ts';
import { redirectChanges } from '../domain/redirects.ts';
import { restoreChanges } from '../domain/restore-domain.ts';
import { targetChanges } from '../domain/shared-targets.ts';
import { suspensionChanges } from '../domain/suspensions.ts';
import { secretChanges } from '../sealing/sealed-values.ts';
import { setupLinkChanges, setupPageChanges } from '../setup/setup.ts';
import type { Changes } from '../store.ts';
import { originSettingsChanges } from '../tree/origin-settings.ts';
import { appChanges, deploymentChanges, environmentChanges, projectChanges } from '../tree/tree.ts';
import { deliveryChanges } from '../webhook/delivery-rows.ts';
import { webhookChanges } from '../webhook/webhook-rows.ts';
import type { DefinedChange } from './change.ts';

/** The definition of each change of the contract. */
export const changes = {
  ...accessChanges,
  ...madeKeyChanges,
  ...workspaceChanges,
  ...childWorkspaceChanges,
  ...signingChanges,
  ...connectKeyChanges,
  ...dashboardChanges,
  ...setupLinkChanges,
  ...setupPageChanges,
  ...projectChanges,
  ...appChanges,
  ...environmentChanges,
  ...deploymentChanges,
  ...originSettingsChanges,
  ...domainChanges,
  ...moveChanges,
  ...updateChanges,
  ...restoreChanges,
  ...suspensionChanges,
  ...targetChanges,
  ...redirectChanges,
  ...webhookChanges,
  ...deliveryChanges,
  ...certificateChanges,
  ...movedChanges,
  ...caChanges,
  ...secretChanges,
};

type Performed<Definitions> = {
  [Name in keyof Definitions]: Definitions[Name] extends DefinedChange<infer Args, infer Outcome>
    ? (...args: Args) => Promise<Outcome>
    : never;
};

export type AnyChange = DefinedChange<unknown[], unknown>;

/** The changes, each performed by `perform`. */
export function changesWith(perform: (change: AnyChange, args: unknown[]) => Promise<unknown>): Changes {
  const method =
    (change: unknown) =>
    (...args: unknown[]) =>
      perform(change as AnyChange, args);
  const made = Object.entries(changes).map(([name, change]) => [name, method(change)]);
  return Object.fromEntries(made) as Performed<typeof changes>;
}
