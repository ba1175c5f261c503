import { LRUCache } from 'lru-cache';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Resolver } from '../../dns/resolver.ts';
import type { Dialer } from '../../net/dialer.ts';
import { sendRequest } from './fetch-from-address.ts';

/** Asks whether a zone's DNS provider applies a template of ours, and accepts a signature of ours. */
export interface ConnectQuestion {
  zone: string;
  providerId: string;
  serviceId: string;
  /** Our keys, newest first, with the records that publish them. */
  keys: { id: string; name: string; records: string[] }[];
}

/**
 * `no_record`: the zone names no provider. `record`, `settings`: what is there is no use. `template`: the provider does not
 * know it. `key`: no record publishes one of our keys. `busy`: too many questions are in flight. `unavailable`: the thread
 * that asks has crashed, or could not ask.
 */
export type ConnectRefusal = 'no_record' | 'record' | 'settings' | 'template' | 'key' | 'busy' | 'unavailable';

/** `syncUrl`: https, without a final slash. `keyId`: the newest key that is published. */
export type ConnectAnswer = { provider: string; syncUrl: string; keyId: string } | { refused: ConnectRefusal };

export type DiscoverConnect = (question: ConnectQuestion) => Promise<ConnectAnswer>;

interface DiscovererOptions {
  resolver: Pick<Resolver, 'lookupTxt'>;
  dialer: Dialer;
  /** Further trust roots, for tests. */
  ca?: string;
  /** For all of one question. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 6_000;
const IN_FLIGHT = 20;
const CACHED = 1_000;
const OFFER_MS = 600_000;
const REFUSAL_MS = 60_000;
const BODY_OCTETS = 65_536;
/** The host of a provider's API, with a path where that has one. Octets of a TXT record. */
const API = /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d{1,5})?(\/[\w.~-]+)*\/?$/i;

const Settings = Type.Object({
  providerName: Type.String({ minLength: 1, maxLength: 100 }),
  providerDisplayName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  urlSyncUX: Type.String({ maxLength: 500 }),
  urlAPI: Type.String({ maxLength: 500 }),
});

/**
 * The zone's owner controls the questions and the answers: connections go to public addresses only, redirects are not
 * followed, and time, size and number are limited. Answers are cached per question. Never rejects.
 */
export function createConnectDiscoverer(options: DiscovererOptions): DiscoverConnect {
  const { resolver, dialer, ca, timeoutMs = TIMEOUT_MS } = options;
  const answers = new LRUCache<string, Promise<ConnectAnswer>>({ max: CACHED, ttl: OFFER_MS });
  let inFlight = 0;

  /** The body of a response with status 200; null for any other. */
  async function get(url: URL, signal: AbortSignal): Promise<string | null> {
    const port = url.port === '' ? 443 : Number(url.port);
    const socket = await dialer.dialTls({ hostname: url.hostname, port, signal }, ca === undefined ? {} : { ca });
    try {
      const { status, body } = await sendRequest(url, socket, signal, BODY_OCTETS);
      return status === 200 ? body : null;
    } finally {
      socket.destroy();
    }
  }

  async function discover(question: ConnectQuestion, signal: AbortSignal): Promise<ConnectAnswer> {
    const { zone, providerId, serviceId, keys } = question;
    const record = await resolver.lookupTxt(`_domainconnect.${zone}`, { signal });
    if (record.kind === 'absent') return { refused: 'no_record' };
    const [host = ''] = record.kind === 'found' ? record.values : [];
    const api = API.test(host) ? plainHttps(`https://${host}`) : null;
    if (api === null) return { refused: 'record' };
    const settings = await get(new URL(`${api}/v2/${zone}/settings`), signal)
      .then(parseSettings)
      .catch(() => null);
    if (settings === null) return { refused: 'settings' };
    const { providerName, providerDisplayName: provider = providerName } = settings;
    const [syncUrl, apiUrl] = [plainHttps(settings.urlSyncUX), plainHttps(settings.urlAPI)];
    if (syncUrl === null || apiUrl === null) return { refused: 'settings' };
    const template = new URL(`${apiUrl}/v2/domainTemplates/providers/${providerId}/services/${serviceId}`);
    if ((await get(template, signal).catch(() => null)) === null) return { refused: 'template' };
    for (const { id, name, records } of keys) {
      const published = await resolver.lookupTxt(name, { signal });
      const values = published.kind === 'found' ? published.values : [];
      if (records.every((each) => values.includes(each))) return { provider, syncUrl, keyId: id };
    }
    return { refused: 'key' };
  }

  return (question) => {
    const cacheKey = JSON.stringify(question);
    const known = answers.get(cacheKey);
    if (known !== undefined) return known;
    if (inFlight >= IN_FLIGHT) return Promise.resolve({ refused: 'busy' });
    inFlight += 1;
    const answer = discover(question, AbortSignal.timeout(timeoutMs))
      .catch((): ConnectAnswer => ({ refused: 'unavailable' }))
      .finally(() => {
        inFlight -= 1;
      });
    answers.set(cacheKey, answer);
    void answer.then((found) => {
      if ('refused' in found) answers.set(cacheKey, answer, { ttl: REFUSAL_MS });
    });
    return answer;
  };
}

function parseSettings(body: string | null): Static<typeof Settings> | null {
  const settings: unknown = JSON.parse(body ?? 'null');
  return Value.Check(Settings, settings) ? settings : null;
}

/** The URL of a host by name, without a final slash. Null for any other, such as `javascript:`. */
function plainHttps(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') return null;
  if (url.search !== '' || url.hash !== '' || !/\.[a-z][a-z0-9-]*$/.test(url.hostname)) return null;
  return url.href.replace(/\/+$/, '');
}
