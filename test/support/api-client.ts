import { setTimeout as delay } from 'node:timers/promises';
import type { CertificateReason, CertificateState } from '../../server/src/domain/certificate-state.ts';
import type { Tenant } from './server-site.ts';

/** An answer of the API. */
export interface Answer<Found = Data> {
  status: number;
  requestId: string;
  data: Found | undefined;
  error: { title: string; detail: string; status: number; type: string } | undefined;
  headers: Headers;
}

/** The fields of the responses of domains.createDomain and domains.getDomain that tests read. */
export interface Data {
  domainId: string;
  id: string;
  status: 'pending' | 'verifying' | 'verified' | 'failed';
  dnsRecords: { type: string; name: string; value: string; ttl: number; verified: boolean; note: string }[];
}

/** The fields of the response of domains.getCertificate that tests read. */
export interface CertificateData {
  state: CertificateState | 'none';
  problem?: { reason: CertificateReason; message: string };
  selfCheck?: { at: number };
  failures: number;
  issued?: { issuer: string; fingerprint: string; issuedAt: number };
}

export type Operation = 'createDomain' | 'getDomain' | 'verifyDomain' | 'deleteDomain' | 'getCertificate';

/** Asks the API once. Rejects when no whole answer came in time. */
export async function ask<Found = Data>(
  url: string,
  { key }: Pick<Tenant, 'key'>,
  operation: Operation,
  domain: string,
  timeoutMs = 60_000,
): Promise<Answer<Found>> {
  const place = operation === 'createDomain' ? { project: 'ppp', app: 'aaa', environment: 'eee' } : {};
  const answer = await fetch(`${url}/v2/domains.${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...place, domain }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { meta, data, error } = (await answer.json()) as Pick<Answer<Found>, 'data' | 'error'> & {
    meta: { requestId: string };
  };
  return { status: answer.status, requestId: meta.requestId, data, error, headers: answer.headers };
}

/** Asks again while the server sheds load, as a client would. */
export async function askPatiently<Found = Data>(...asked: Parameters<typeof ask>): Promise<Answer<Found>> {
  for (;;) {
    const answer = await ask<Found>(...asked);
    if (answer.status !== 429) return answer;
    await delay(1000 * Number(answer.headers.get('retry-after') ?? 1));
  }
}
