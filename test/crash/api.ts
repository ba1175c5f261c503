import type { Tenant } from './site.ts';

/** An answer of the API. */
export interface Answer {
  status: number;
  requestId: string;
  data: Data | undefined;
  error: { title: string; detail: string; status: number; type: string } | undefined;
  headers: Headers;
}

/** What domains.createDomain and domains.getDomain answer, as far as it is looked at. */
export interface Data {
  domainId: string;
  id: string;
  status: 'pending' | 'verifying' | 'verified' | 'failed';
  dnsRecords: { type: string; name: string; value: string; ttl: number; verified: boolean; note: string }[];
}

export type Operation = 'createDomain' | 'getDomain' | 'verifyDomain' | 'deleteDomain';

/** Asks the API once. Rejects when no whole answer came in time. */
export async function ask(
  url: string,
  { key }: Pick<Tenant, 'key'>,
  operation: Operation,
  domain: string,
  timeoutMs = 60_000,
): Promise<Answer> {
  const place = operation === 'createDomain' ? { project: 'ppp', app: 'aaa', environment: 'eee' } : {};
  const answer = await fetch(`${url}/v2/domains.${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...place, domain }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { meta, data, error } = (await answer.json()) as Pick<Answer, 'data' | 'error'> & {
    meta: { requestId: string };
  };
  return { status: answer.status, requestId: meta.requestId, data, error, headers: answer.headers };
}
