import type { Command } from 'commander';
import { caHost } from '../certificates/issuer.ts';
import { systemClock } from '../clock.ts';
import type { HeldCa } from '../store/contract/store.ts';
import { withChanges } from './open-database.ts';
import { type StoreOptions, storeCommand } from './options.ts';
import { dateTime, printable, show } from './output.ts';

/** A line for each CA at which nothing is ordered: why, since when, and until when. */
export function describeHeld(held: readonly HeldCa[]): string {
  return held
    .map(({ issuer, pausedUntil, problem: { reason, message, at } }) => {
      const what = reason === 'ca_account' ? 'has refused our account' : 'has not accepted orders';
      const since = at === 0 ? '' : ` since ${dateTime(at)}`;
      return `${caHost({ id: issuer })} ${what}${since}: ${printable(message)}\nNothing is ordered there until ${dateTime(pausedUntil)}, or until "nameplate certificates resume", which you run once the cause is gone.`;
    })
    .join('\n');
}

export function addResume(certificates: Command): void {
  const summary =
    'Order at CAs again that are left alone after they refused the account or failed, within seconds on every node. Fix the cause first: a CA that still refuses is left alone again.';
  storeCommand(certificates, 'resume', summary, ['nameplate certificates resume']).action(
    async (options: StoreOptions) => {
      const resumed = await withChanges(options, 'certificates resume', (store) => store.resumeCas(systemClock.now()));
      show(options, { resumed: resumed.map(({ issuer }) => issuer) }, () => {
        const hosts = resumed.map(({ issuer }) => caHost({ id: issuer })).join(', ');
        return resumed.length === 0 ? 'No CA is left alone, so nothing was changed.' : `Ordering at ${hosts} again.`;
      });
    },
  );
}
