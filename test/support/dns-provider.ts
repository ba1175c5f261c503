import { createPublicKey, verify } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { certificateFor } from '../edge/selfsigned.ts';
import type { Closing } from './closing.ts';
import { listen } from './listen.ts';

/** A DNS provider with Domain Connect, as draft-ietf-dconn-domainconnect-03 has it, over HTTPS on loopback. */
export interface DnsProvider {
  /** Host and port, for the TXT record at `_domainconnect`. */
  host: string;
  /** PEM of its CA. */
  ca: string;
  /** Ids of the templates that it knows, as `PROVIDER/SERVICE`. */
  templates: Set<string>;
  /** Paths that were asked for. */
  requests: string[];
  settings: Record<string, unknown>;
  /** Answers in its place; null: it answers itself. */
  instead: RequestListener | null;
}

const NAME = 'connect.provider.test';

export async function startDnsProvider(closing: Closing): Promise<DnsProvider> {
  const { key, cert, ca } = certificateFor(NAME);
  const server = createServer({ key, cert }, (request, response) => {
    provider.requests.push(request.url ?? '');
    if (provider.instead !== null) return provider.instead(request, response);
    const [, provided, service] =
      /^\/v2\/domainTemplates\/providers\/([^/]+)\/services\/([^/]+)$/.exec(request.url ?? '') ?? [];
    if (/^\/v2\/[a-z0-9.]+\/settings$/.test(request.url ?? '')) response.end(JSON.stringify(provider.settings));
    else response.writeHead(provider.templates.has(`${provided}/${service}`) ? 200 : 404).end();
  });
  const host = `${NAME}:${await listen(closing, server)}`;
  const url = `https://${host}`;
  const provider: DnsProvider = {
    host,
    ca,
    templates: new Set(),
    requests: [],
    settings: { providerId: 'provider.test', providerName: 'Provider', urlSyncUX: url, urlAPI: url },
    instead: null,
  };
  return provider;
}

/** Whether a provider accepts a link: the signature of its query, by the key in these TXT records. */
export function isSigned(link: string, records: readonly string[]): boolean {
  const [, query = '', sig = ''] = /\?(.*)&sig=([^&]*)&key=[^&]*$/.exec(link) ?? [];
  const parts = records.map((record) => /^p=(\d+),a=RS256,d=(.*)$/.exec(record) ?? []);
  const text = parts
    .toSorted((a, b) => Number(a[1]) - Number(b[1]))
    .map(([, , data]) => data)
    .join('');
  const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  return verify('sha256', Buffer.from(query), key, Buffer.from(decodeURIComponent(sig), 'base64'));
}

/** The records of a template in a zone, as a provider publishes them for a link. */
export function appliedRecords(link: string, records: readonly object[]): string[] {
  const { searchParams } = new URL(link);
  const at = [searchParams.get('host'), searchParams.get('domain')].filter(Boolean).join('.');
  const filled = (text: string) => text.replace(/%(\w+)%/g, (_, name: string) => searchParams.get(name) ?? '?');
  return records.map((record) => {
    const { type, host, pointsTo, data } = record as Record<string, string>;
    return `${host === '@' ? at : `${host}.${at}`} ${type} ${filled(pointsTo ?? data ?? '')}`;
  });
}
