import type { Changes } from '../contract/store.ts';
import { accessChanges, signingChanges, workspaceChanges } from './access.ts';
import { caChanges } from './certificates/ca-accounts.ts';
import { certificateChanges } from './certificates/issuance.ts';
import type { DefinedChange } from './change.ts';
import { domainChanges } from './domains.ts';
import { moveChanges } from './move-domain.ts';
import { redirectChanges } from './redirects.ts';
import { restoreChanges } from './restore-domain.ts';
import { secretChanges } from './sealed-values.ts';
import { setupLinkChanges, setupPageChanges } from './setup.ts';
import { suspensionChanges } from './suspensions.ts';
import { appChanges, deploymentChanges, environmentChanges, projectChanges } from './tree.ts';
import { deliveryChanges } from './webhooks/delivery-rows.ts';
import { webhookChanges } from './webhooks/webhook-rows.ts';

/** The definition of each change of the contract. */
export const changes = {
  ...accessChanges,
  ...workspaceChanges,
  ...signingChanges,
  ...setupLinkChanges,
  ...setupPageChanges,
  ...projectChanges,
  ...appChanges,
  ...environmentChanges,
  ...deploymentChanges,
  ...domainChanges,
  ...moveChanges,
  ...restoreChanges,
  ...suspensionChanges,
  ...redirectChanges,
  ...webhookChanges,
  ...deliveryChanges,
  ...certificateChanges,
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
