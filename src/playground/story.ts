import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Playground } from './playground.ts';
import { visit } from './visit.ts';

/** One thing that happened, as it is told. */
export interface Step {
  title: string;
  /** Records as they stand in the zone now. */
  zone?: ZoneLine[];
  /** `path` is a whole URL where it is not the API that is asked. */
  request?: { method: 'GET' | 'POST'; path: string; body?: unknown };
  /** `body` is a text where it is not JSON. */
  answer?: { status: number; body: unknown };
}

export interface ZoneLine {
  name: string;
  type: string;
  value: string;
}

interface Certificate {
  state: string;
  issued?: object;
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

/** The story of one domain, from nothing to HTTPS, told as it happens. Rejects with `Surprise`. */
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

  /** Polls until what is answered is as it should be, and tells the answer that showed it. */
  async function pollFor<T>(
    operation: string,
    title: string,
    expected: string,
    holds: (data: T) => boolean,
  ): Promise<void> {
    const givesUpAt = clock.now() + PATIENCE_MS;
    const request = { method: 'POST', path: `/v2/${operation}`, body: { domain: NAME } } as const;
    for (;;) {
      const answer = await post(api + request.path, request.body);
      const { data } = answer.body as { data?: T };
      if (data !== undefined && holds(data)) return tell({ title, request, answer });
      if (clock.now() > givesUpAt) throw surprise(expected, answer);
      await sleep(POLL_MS);
    }
  }

  const poll = (title: string, expected: string, holds: (domain: Domain) => boolean) =>
    pollFor('domains.getDomain', title, expected, holds);

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

  await pollFor<Certificate>(
    'domains.getCertificate',
    "So a certificate was asked for. Here a CA of our own issues it, in production one such as Let's Encrypt:",
    'state issued',
    ({ state, issued }) => state === 'issued' && issued !== undefined,
  );
  const answer = await visit(ready, NAME);
  const request = { method: 'GET', path: `https://${NAME}/` } as const;
  tell({ title: 'The edge serves the name over HTTPS, from what is deployed to the environment:', request, answer });
  if (answer.status !== 200) throw surprise(`status 200 from https://${NAME}/`, answer);
}

function surprise(expected: string, seen: unknown): Surprise {
  return new Surprise(`Expected ${expected}, but saw ${JSON.stringify(seen)}`);
}
