import { X509Certificate } from 'node:crypto';
import { CaProblem, REVOCATION_REASONS, type RevocationReason } from '../issuer.ts';
import { readPrivateKey } from '../x509/private-key.ts';
import { accountsAt } from './acme-account.ts';
import { createAcmeClient, type Signer } from './acme-client.ts';
import { caTransport } from './ca-transport.ts';
import { AcmeError } from './problem-document.ts';

const TIMEOUT_MS = 30_000;

interface Revocable {
  issuer: string;
  /** PEM, the certificate first. */
  chain: string;
  /** PKCS #8, DER; null: it is not known. */
  privateKey: Uint8Array | null;
}

/**
 * Revokes a certificate (RFC 8555 section 7.6) with our account at its CA, else with the certificate's own key: another
 * account may have ordered it. A certificate that is revoked already is no error. Rejects with `CaProblem`.
 */
export async function revokeAtCa(
  { issuer, chain, privateKey }: Revocable,
  reason: RevocationReason | undefined,
  options: Parameters<typeof accountsAt>[1],
): Promise<void> {
  const { store, trustRoots, clock, log } = options;
  const transport = caTransport({ trustRoots, timeoutMs: TIMEOUT_MS });
  const client = createAcmeClient({ directoryUrl: issuer, transport, clock, log });
  const { revokeCert } = await client.directory();
  const account = await store.findCaAccount(issuer);
  if (revokeCert === null) throw new CaProblem('refused', `${client.host} has no resource for revocations.`);
  // The account's key comes first: some CAs read a request signed with the certificate's own key as a report that the
  // key is compromised.
  const signers: Signer[] = [];
  // A rotation that was interrupted may have left the CA with the account's next key.
  if (account?.url) signers.push(await accountsAt(issuer, options).open());
  if (privateKey !== null) signers.push({ key: readPrivateKey(privateKey), accountUrl: null });
  if (signers.length === 0) throw new CaProblem('account', `There is no account at ${client.host} to revoke it with.`);
  const certificate = new X509Certificate(chain).raw.toString('base64url');
  const payload = { certificate, ...(reason && { reason: REVOCATION_REASONS[reason] }) };
  for (const signer of signers) {
    try {
      await client.post(signer, revokeCert, payload);
      return;
    } catch (error) {
      if (!(error instanceof AcmeError)) throw error;
      if (error.is('alreadyRevoked')) return;
      if (!error.concernsAccount || signer === signers.at(-1)) throw error;
    }
  }
}
