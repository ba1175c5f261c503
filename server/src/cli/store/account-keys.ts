import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { CaProblem, caHost } from '../../certificates/issuer.ts';
import { readCommandConfig } from '../../config/config.ts';
import { CliError } from '../cli-error.ts';
import { define, storeCommand } from '../options.ts';
import { printable } from '../output/output.ts';
import { changeAction } from './open-database.ts';

export function addCaAccounts(certificates: Command): void {
  const group = define(certificates, 'account', 'Manage the accounts of this installation at CAs.', ['rotate-key']);
  const summary =
    'Replace the key of the account at a CA, or at all CAs. Servers can keep running: they use the new key at once. The old key stops working, so make a new backup afterwards.';
  storeCommand(group, 'rotate-key [ca]', summary, ['', 'acme-v02.api.letsencrypt.org']).action(
    changeAction(
      async ({ store }, ca?: string) => {
        const all = await store.listCaAccounts();
        const rotated = all.filter((id) => ca === undefined || ca === id || ca === caHost({ id }));
        if (rotated.length === 0) throw noAccount(ca, all);
        const [{ accountsAt }, { createLog }] = await Promise.all([
          import('../../certificates/acme/acme-account.ts'),
          import('../../base/log.ts'),
        ]);
        const { acmeCaFile } = readCommandConfig();
        const trustRoots = acmeCaFile === undefined ? null : readFileSync(acmeCaFile, 'utf8');
        const use = { store, trustRoots, clock: systemClock, log: createLog('silent') };
        for (const issuer of rotated) await accountsAt(issuer, use).rotateKey().catch(explain);
        return { rotated };
      },
      ({ rotated }) => rotated.map((id) => `Our account at ${caHost({ id })} has a new key. Make a backup.`).join('\n'),
    ),
  );
}

function noAccount(ca: string | undefined, issuers: readonly string[]): CliError {
  const has =
    issuers.length === 0
      ? 'There is none.'
      : `There are accounts at: ${issuers.map((id) => caHost({ id })).join(', ')}.`;
  return new CliError(
    `There is no account${ca === undefined ? '' : ` at ${printable(ca)}`} whose key could be replaced. ${has}`,
  );
}

function explain(error: unknown): never {
  if (!(error instanceof CaProblem)) throw error;
  throw new CliError(
    `${error.message}\nBoth keys are kept, and servers use the one that the CA has. Run the command again once the cause is gone.`,
  );
}
