import { X509Certificate } from 'node:crypto';
import { canonicalName } from '../../domain/name.ts';
import { quote } from '../../domain/text.ts';
import { type ApiClient, ApiError } from '../api/api-client.ts';
import { type Place, reasonOf } from '../api/import-rows.ts';
import { importRows, type Retrying, type SourceRow } from '../api/run-import.ts';
import { withRetries } from '../api/with-retries.ts';
import type { MoveReport } from './move-report.ts';
import type { OldCertificate, OldName } from './old-name.ts';
import { redirectProblem } from './old-redirects.ts';

/** A name, and where it goes; a text says why that is unknown. */
export type PlacedName = OldName & { place: Place | string };

export interface MoveSummary {
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
): Promise<MoveSummary> {
  const certificates = { uploaded: 0, existing: 0, refused: 0 };
  const redirects = { set: 0, refused: 0 };
  let [refused, leftOut] = [0, 0];
  const redirecting: Redirecting = new Map();
  const note = ({ line, domain }: Pick<Row, 'line' | 'domain'>, reason: string, status: number | '' = '') =>
    report.add({ line, domain, status, reason });

  async function* rows(retrying: Retrying): AsyncGenerator<Row> {
    for await (const { leftOut: why, ...name } of namesOf(retrying)) {
      const certificate = !dryRun && name.certificate && { certificate: name.certificate };
      const row = { ...name, own: { ...name.own, ...(target !== undefined && { target }), ...certificate } };
      if (why === undefined) yield row;
      else {
        leftOut += 1;
        note(row, `Left out: ${why}`);
      }
    }
  }

  const { created, existing } = await importRows<Row>(api, rows, {
    dryRun,
    doing: dryRun ? 'Checking' : 'Moving',
    refused(refusal) {
      refused += 1;
      report.add(refusal);
    },
    stripped(row, { reason, status }) {
      delete row.certificate;
      certificates.refused += 1;
      note(row, `Added without its certificate: ${reason}`, status);
    },
    async attached(row, { domain, domainId, error }, retrying) {
      for (const text of row.notes) note(row, text);
      // The key is not kept in memory.
      const { certificate, own: _, ...rest } = row;
      if (row.redirect !== undefined) redirecting.set(canonicalName(domain) ?? domain, { row: rest, domainId });
      if (certificate === undefined) return;
      const isThere = error !== undefined && domainId !== undefined && !dryRun;
      const outcome = isThere ? await upload(api, { domain: domainId, ...certificate }, retrying) : 'uploaded';
      certificates[typeof outcome === 'string' ? outcome : 'refused'] += 1;
      if (typeof outcome === 'object') note(row, `Added without its certificate: ${outcome.reason}`, outcome.status);
    },
    async after(retrying) {
      for await (const { row, refusal } of setRedirects(api, redirecting, dryRun, retrying)) {
        redirects[refusal === null ? 'set' : 'refused'] += 1;
        if (refusal !== null)
          note(
            row,
            `Added without its redirect to ${quote(row.redirect?.to ?? '')}: ${refusal.reason}`,
            refusal.status,
          );
      }
    },
  });
  return { created, existing, refused, leftOut, certificates, redirects };
}

/** Names that redirect, by their canonical names. */
type Redirecting = Map<string, { row: Omit<Row, 'own'>; domainId: string | undefined }>;

interface Unmade {
  status: number | '';
  reason: string;
}

/** To a domain that was there already. */
async function upload(
  api: ApiClient,
  files: OldCertificate & { domain: string },
  retrying: Retrying,
): Promise<'uploaded' | 'existing' | Unmade> {
  const { signal } = retrying;
  try {
    if (await withRetries(() => hasCertificate(api, files.domain, files.certificates), retrying)) return 'existing';
    const body = { ...files, managed: true };
    await withRetries(() => api.call('domains.uploadCertificate', body, { signal }), retrying);
    return 'uploaded';
  } catch (error) {
    return refusalIn(error);
  }
}

async function* setRedirects(
  api: ApiClient,
  redirecting: Redirecting,
  dryRun: true | undefined,
  retrying: Retrying,
): AsyncGenerator<{ row: Omit<Row, 'own'>; refusal: Unmade | null }> {
  const { signal } = retrying;
  const destinations = new Map([...redirecting].map(([name, { row }]) => [name, row.redirect?.to ?? '']));
  for (const [name, { row, domainId: domain }] of redirecting) {
    const { to = '', status = null } = row.redirect ?? {};
    const reason = redirectProblem(name, status, destinations);
    const body = { domain, to, status };
    const isSent = reason === null && !dryRun;
    const refusal = isSent
      ? await withRetries(() => api.call('domains.setRedirect', body, { signal }), retrying).then(() => null, refusalIn)
      : reason && { status: '' as const, reason };
    yield { row, refusal: refusal || null };
  }
}

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
