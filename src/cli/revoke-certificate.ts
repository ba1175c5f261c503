import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { caHost, REVOCATION_REASONS, type RevocationReason } from '../certificates/issuer.ts';
import { systemClock } from '../clock.ts';
import { readCommandConfig } from '../config/config.ts';
import type { Certificate } from '../store/contract/store.ts';
import { CliError } from './cli-error.ts';
import { requireYes } from './confirm.ts';
import { hostnameOf } from './hostname.ts';
import { withChanges } from './open-database.ts';
import { type StoreOptions, storeCommand, storeFlag } from './options.ts';
import { show } from './output.ts';

type RevokeOptions = StoreOptions & { reason?: RevocationReason; yes?: true };

export function addRevoke(certificates: Command, noCertificate: (name: string) => CliError): void {
  const summary =
    'Revoke the certificate in use at its CA, and order another one with a new key at once. Until that is there the revoked one is served, but with --reason keyCompromise none is. Cannot be undone.';
  const example = 'nameplate certificates revoke shop.example.com';
  storeCommand(certificates, 'revoke <name>', summary, [example, `${example} --reason keyCompromise --yes`])
    .addOption(new Option('--reason <reason>', 'what the CA publishes').choices(Object.keys(REVOCATION_REASONS)))
    .option('--yes', 'do not ask')
    .action(async (name: string, options: RevokeOptions) => {
      const hostname = await hostnameOf(name);
      const { reason } = options;
      const withdraw = reason === 'keyCompromise';
      const { acmeCaFile } = readCommandConfig();
      await withChanges(options, 'certificates revoke', async (store) => {
        const certificate = await store.findCertificate(hostname);
        if (certificate === null) throw noCertificate(name);
        const { issuer, chain } = revocable(certificate);
        const meanwhile = withdraw
          ? 'It is not served any more: browsers cannot connect until another one is there, within seconds as a rule.'
          : 'It is served until another one replaces it, within seconds as a rule.';
        const at = caHost({ id: issuer });
        await requireYes(options, `The certificate of ${hostname} is revoked at ${at}, for good. ${meanwhile}`);
        const trustRoots = acmeCaFile === undefined ? null : readFileSync(acmeCaFile, 'utf8');
        const [{ revokeAtCa }, { createLog }] = await Promise.all([
          import('../certificates/acme/revocation.ts'),
          import('../log.ts'),
        ]);
        const log = createLog('silent');
        await revokeAtCa({ issuer, chain }, reason, { store, trustRoots, clock: systemClock, log });
        await store.replaceRevoked({ hostname, chain, withdraw, reason: reason ?? null }, systemClock.now());
        const next = `nameplate certificates show ${hostname}${storeFlag(options)}`;
        const done = `Revoked the certificate of ${hostname} at ${at}. ${meanwhile}\n\nNext: ${next}`;
        show(options, { name: hostname, revoked: true, served: !withdraw }, () => done);
      });
    });
}

/** The certificate in use, where its CA can revoke it. Throws `CliError`. */
function revocable({ hostname, issued }: Certificate): NonNullable<Certificate['issued']> {
  if (issued === null) throw new CliError(`No certificate of ${hostname} is in use, so there is none to revoke.`);
  if (issued.issuer === 'internal')
    throw new CliError(
      `The certificate of ${hostname} is of the internal CA, which has no revocation. For a new key: nameplate certificates renew ${hostname}`,
    );
  if (URL.canParse(issued.issuer)) return issued;
  throw new CliError(
    `The certificate of ${hostname} was imported: revoke it where it was issued, and import another one.`,
  );
}
