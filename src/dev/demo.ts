import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Playground } from './playground.ts';

/** One thing that happened, as it is told. */
export interface Step {
  title: string;
  /** Records as they stand in the zone now. */
  zone?: ZoneLine[];
  request?: { method: 'POST'; path: string; body: unknown };
  answer?: { status: number; body: unknown };
}

export interface ZoneLine {
  name: string;
  type: string;
  value: string;
}

interface Domain {
  status: string;
  verificationError?: string;
  dnsRecords: { type: string; name: string; value: string; verified: boolean }[];
}

/** Something happened that should not have; the message says what was expected and what was seen. */
export class Surprise extends Error {
  override name = 'Surprise';
}

const NAME = 'shop.example.com';
const WRONG = 'old-shop.example.net';
const POLL_MS = 100;
/** Longest wait for any one thing. */
const PATIENCE_MS = 8000;

/** The story of one domain, from nothing to verified, told as it happens. Rejects with `Surprise`. */
export async function playStory(
  { ready, control }: Playground,
  clock: Clock,
  tell: (step: Step) => void,
): Promise<void> {
  const { api, rootKey, project, app, environment } = ready;

  async function post(url: string, body: unknown): Promise<{ status: number; body: unknown }> {
    const headers = { authorization: `Bearer ${rootKey}`, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  }

  async function call(title: string, operation: string, body: unknown, expected: number) {
    const path = `/v2/${operation}`;
    const answer = await post(api + path, body);
    tell({ title, request: { method: 'POST', path, body }, answer });
    if (answer.status !== expected) throw surprise(`status ${expected} from ${operation}`, answer);
    return (answer.body as { data: unknown }).data;
  }

  const get = async () => post(`${api}/v2/domains.getDomain`, { domain: NAME });

  /** Polls until the domain is as it should be, and tells the answer that showed it. */
  async function poll(title: string, expected: string, holds: (domain: Domain) => boolean): Promise<void> {
    const givesUpAt = clock.now() + PATIENCE_MS;
    for (;;) {
      const answer = await get();
      const domain = (answer.body as { data?: Domain }).data;
      if (domain !== undefined && holds(domain)) {
        const request = { method: 'POST', path: '/v2/domains.getDomain', body: { domain: NAME } } as const;
        return tell({ title, request, answer });
      }
      if (clock.now() > givesUpAt) throw surprise(expected, answer);
      await sleep(POLL_MS);
    }
  }

  async function publish(title: string, zone: ZoneLine[]): Promise<void> {
    for (const { name, type, value } of zone) {
      const answer = await post(`${control}/set`, { name, type, values: [value] });
      if (answer.status !== 200) throw surprise(`the simulator to take ${type} ${name}`, answer);
    }
    tell({ title, zone });
  }

  const where = { project: project.slug, app: app.slug, environment: environment.slug };
  const made = await call(
    `A customer wants to use the name ${NAME}. The platform adds it to an environment, and shows the customer these two records:`,
    'domains.createDomain',
    { ...where, domain: NAME },
    200,
  );
  const { dnsRecords } = made as Domain;

  const first = await call('Nothing is published yet. The platform asks:', 'domains.getDomain', { domain: NAME }, 200);
  const { status } = first as Domain;
  if (status !== 'pending' && status !== 'verifying') throw surprise('status pending', first);
  await poll(
    'It asks again. A check has completed; the records are merely not there yet, so there is no error:',
    'status verifying, without a verificationError',
    (domain) => domain.status === 'verifying' && domain.verificationError === undefined,
  );

  const wrong = { name: NAME, type: 'CNAME', value: WRONG };
  await publish('The customer publishes a record, but it names the wrong host:', [wrong]);
  await poll(
    'The next check reads it. The platform can say what is wrong (verificationError):',
    `a verificationError that names ${WRONG}`,
    (domain) => domain.verificationError?.includes(WRONG) === true,
  );

  const right = dnsRecords.map(({ name, type, value }) => ({ name, type, value }));
  await publish('The customer corrects it, and publishes the TXT record too:', right);
  await call('Nobody has to wait for the next check:', 'domains.verifyDomain', { domain: NAME }, 202);
  await poll(
    'Both records were read back from the nameserver:',
    'status verified, and both records verified',
    (domain) => domain.status === 'verified' && domain.dnsRecords.every(({ verified }) => verified),
  );
}

function surprise(expected: string, seen: unknown): Surprise {
  return new Surprise(`Expected ${expected}, but saw ${JSON.stringify(seen)}`);
}
