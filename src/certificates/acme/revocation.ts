import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { CertificateStore } from '../../store/contract/store.ts';
import { CaProblem, REVOCATION_REASONS, type RevocationReason } from '../issuer.ts';
import { readPrivateKey } from '../x509/private-key.ts';
import { createAcmeClient } from './acme-client.ts';
import { caTransport } from './ca-transport.ts';
import { AcmeError } from './problem-document.ts';

interface RevocationOptions {
  store: Pick<CertificateStore, 'findCaAccount'>;
  trustRoots: string | null;
  clock: Clock;
  log: Log;
}

const TIMEOUT_MS = 30_000;

/**
 * Revokes a certificate with our account at its CA (RFC 8555 section 7.6). `chain`: PEM, the certificate first. A certificate that is revoked already is no error. Rejects
 * with `CaProblem`.
 */
export async function revokeAtCa(
  { issuer, chain }: { issuer: string; chain: string },
  reason: RevocationReason | undefined,
  { store, trustRoots, clock, log }: RevocationOptions,
): Promise<void> {
  const transport = caTransport({ trustRoots, timeoutMs: TIMEOUT_MS });
  const client = createAcmeClient({ directoryUrl: issuer, transport, clock, log });
  const { revokeCert } = await client.directory();
  const account = await store.findCaAccount(issuer);
  if (revokeCert === null) throw new CaProblem('refused', `${client.host} has no resource for revocations.`);
  if (!account?.url) throw new CaProblem('account', `There is no account at ${client.host} to revoke it with.`);
  const signer = { key: readPrivateKey(account.privateKey), accountUrl: account.url };
  const certificate = new X509Certificate(chain).raw.toString('base64url');
  const payload = { certificate, ...(reason && { reason: REVOCATION_REASONS[reason] }) };
  await client.post(signer, revokeCert, payload).catch((error: unknown) => {
    if (!(error instanceof AcmeError && error.is('alreadyRevoked'))) throw error;
  });
}
