import { X509Certificate } from 'node:crypto';
import { canonicalName } from '../../domain/name.ts';
import { quote } from '../../domain/text.ts';
import { type ApiClient, ApiError } from '../api/api-client.ts';
import { type Place, reasonOf, type ShownOutcome } from '../api/import-rows.ts';
import { importRows, type Retrying, type SourceRow } from '../api/run-import.ts';
import { withRetries } from '../api/with-retries.ts';
import type { MoveReport } from './move-report.ts';
import type { OldName } from './old-name.ts';
import { redirectProblem } from './old-redirects.ts';

/** A name, and where it goes; a text says why that is unknown. */
export type PlacedName = OldName & { place: Place | string };

export interface Moved {
  created: number;
  existing: number;
  refused: number;
  /** Names that stay where they are, although nothing is wrong with them. */
  leftOut: number;
  /** With `dryRun` those that would be uploaded. */
  certificates: { uploaded: number; existing: number; refused: number };
  redirects: { set: number; refused: number };
}

interface MoveOptions {
  dryRun?: true | undefined;
  /** The shared target of all names. */
  target?: string | undefined;
  report: MoveReport;
}

type Row = PlacedName & SourceRow;

/**
 * Adds names with their certificates and redirects. Whatever interrupts it, a second call finds there what the first
 * has made, and makes the rest. Throws `CliError`.
 */
export async function moveNames(
  api: ApiClient,
  namesOf: (retrying: Retrying) => AsyncIterable<PlacedName>,
  { dryRun, target, report }: MoveOptions,
): Promise<Moved> {
  const certificates = { uploaded: 0, existing: 0, refused: 0 };
  const redirects = { set: 0, refused: 0 };
  const moved: Moved = { created: 0, existing: 0, refused: 0, leftOut: 0, certificates, redirects };
  /** By canonical name. */
  const redirecting = new Map<string, { row: Row; domainId: string | undefined }>();
  const note = ({ line, domain }: Row, reason: string, status: number | '' = '') =>
    report.add({ line, domain, status, reason });

  async function* rows(retrying: Retrying): AsyncGenerator<Row> {
    for await (const { leftOut, ...name } of namesOf(retrying)) {
      const row = { ...name, own: { ...name.own, ...(target !== undefined && { target }) } };
      if (leftOut === undefined) yield row;
      else {
        moved.leftOut += 1;
        note(row, `Left out: ${leftOut}`);
      }
    }
  }

  async function upload({ certificate, ...row }: Row, domain: string, isNew: boolean, { signal, wait }: Retrying) {
    if (certificate === undefined) return;
    const retry = <T>(call: () => Promise<T>) => withRetries(call, { signal, wait });
    const { certificates: chain, privateKey } = certificate;
    try {
      const body = { domain, certificates: chain, privateKey, managed: true };
      if (!isNew && (await retry(() => hasCertificate(api, domain, chain)))) certificates.existing += 1;
      else {
        await retry(() => api.call('domains.uploadCertificate', body, { signal }));
        certificates.uploaded += 1;
      }
    } catch (error) {
      const { status, reason } = refusalIn(error);
      certificates.refused += 1;
      note(row, `Added without its certificate: ${reason}`, status);
    }
  }

  async function setRedirects({ signal, wait }: Retrying): Promise<void> {
    const destinations = new Map([...redirecting].map(([name, { row }]) => [name, row.redirect?.to ?? '']));
    for (const [name, { row, domainId }] of redirecting) {
      const { to = '', status = null } = row.redirect ?? {};
      const problem = redirectProblem(name, status, destinations);
      try {
        if (problem !== null) throw new RedirectRefused(problem);
        const body = { domain: domainId, to, status };
        if (!dryRun) await withRetries(() => api.call('domains.setRedirect', body, { signal }), { signal, wait });
        redirects.set += 1;
      } catch (error) {
        const refusal =
          error instanceof RedirectRefused ? { reason: error.message, status: '' as const } : refusalIn(error);
        redirects.refused += 1;
        note(row, `Added without its redirect to ${quote(to)}: ${refusal.reason}`, refusal.status);
      }
    }
  }

  const imported = await importRows<Row>(api, rows, {
    dryRun,
    doing: dryRun ? 'Checking' : 'Moving',
    refused(refusal) {
      moved.refused += 1;
      report.add(refusal);
    },
    async attached(row, { domain, domainId, error }: ShownOutcome, retrying) {
      for (const text of row.notes) note(row, text);
      // The certificate is not kept in memory.
      const { certificate, ...rest } = row;
      if (row.redirect !== undefined) redirecting.set(canonicalName(domain) ?? domain, { row: rest, domainId });
      if (!dryRun && domainId !== undefined) await upload(row, domainId, error === undefined, retrying);
      else if (certificate !== undefined) certificates.uploaded += 1;
    },
    after: setRedirects,
  });
  return { ...moved, created: imported.created, existing: imported.existing };
}

class RedirectRefused extends Error {}

/** Why the API does not take a certificate or a redirect; any other error ends the command. */
function refusalIn(error: unknown): { status: number; reason: string } {
  if (!(error instanceof ApiError) || ![400, 404, 409, 412].includes(error.status)) throw error;
  const { status, code } = error;
  const later = code === 'application/redirect_destination_not_verified' ? ' Run the same command again then.' : '';
  return { status, reason: `${reasonOf(error)}${later}` };
}

/** Whether the domain has this certificate, in use or kept for later, so that it need not be uploaded again. */
async function hasCertificate(api: ApiClient, domain: string, chain: string): Promise<boolean> {
  const { issued, staged } = await api.call<Shown>('domains.getCertificate', { domain });
  const { fingerprint256, validToDate } = new X509Certificate(chain);
  return issued?.fingerprint === fingerprint256 || staged?.notAfter === validToDate.getTime();
}

interface Shown {
  issued?: { fingerprint: string };
  staged?: { notAfter: number };
}
