import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../server/src/base/clock.ts';
import { playDelivery } from './delivery-story.ts';
import type { Playground } from './playground.ts';
import { type Step, unexpected, type ZoneLine } from './step.ts';
import { visit } from './visit.ts';

interface CertificateData {
  state: string;
  issued?: object;
}

interface DomainData {
  status: string;
  verificationError?: string;
  dnsRecords: { type: string; name: string; value: string; verified: boolean }[];
}

interface DiagnosisData {
  findings: { code: string; record?: string }[];
  records: { record: string; type: string; name: string; expected: string }[];
}

const NAME = 'shop.example.com';
/** Where the record ends up when the customer types the whole name and the panel appends the zone. */
const DOUBLED = `${NAME}.example.com`;
const POLL_MS = 100;
/** Longest wait for one step. */
const TIMEOUT_MS = 8000;

/**
 * Takes one domain from nothing to HTTPS and to its end, and reports each step. Rejects if a step does not end as
 * expected.
 */
export async function playStory(
  { ready, control }: Playground,
  clock: Clock,
  onStep: (step: Step) => void,
): Promise<void> {
  const { api, rootKey, project, app, environment } = ready;

  async function post(url: string, body: unknown): Promise<{ status: number; body: unknown }> {
    const headers = { authorization: `Bearer ${rootKey}`, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  }

  async function call(title: string, operation: string, body: unknown, expected: number) {
    const path = `/v2/${operation}`;
    const response = await post(api + path, body);
    onStep({ title, request: { method: 'POST', path, body }, answer: response });
    if (response.status !== expected) throw unexpected(`status ${expected} from ${operation}`, response);
    return (response.body as { data: unknown }).data;
  }

  /** Polls until the data is as expected, and reports only that response. */
  async function pollFor<T>(
    operation: string,
    title: string,
    expected: string,
    isExpected: (data: T) => boolean,
  ): Promise<void> {
    const deadline = clock.now() + TIMEOUT_MS;
    const request = { method: 'POST', path: `/v2/${operation}`, body: { domain: NAME } } as const;
    for (;;) {
      const response = await post(api + request.path, request.body);
      const { data } = response.body as { data?: T };
      if (data !== undefined && isExpected(data)) return onStep({ title, request, answer: response });
      if (clock.now() > deadline) throw unexpected(expected, response);
      await sleep(POLL_MS);
    }
  }

  const pollDomain = (title: string, expected: string, isExpected: (domain: DomainData) => boolean) =>
    pollFor('domains.getDomain', title, expected, isExpected);

  async function publish(title: string, zone: ZoneLine[]): Promise<void> {
    for (const { name, type, value } of zone) {
      const response = await post(`${control}/set`, { name, type, values: [value] });
      if (response.status !== 200) throw unexpected(`the simulator to accept ${type} ${name}`, response);
    }
    onStep({ title, zone });
  }

  const where = { project: project.slug, app: app.slug, environment: environment.slug };
  const created = await call(
    `A customer wants to use ${NAME}. The platform adds the name to an environment, and shows the customer two records to publish:`,
    'domains.createDomain',
    { ...where, domain: NAME },
    200,
  );
  const { dnsRecords } = created as DomainData;

  const title = 'Nothing is published yet. The platform polls the domain:';
  const first = await call(title, 'domains.getDomain', { domain: NAME }, 200);
  const { status } = first as DomainData;
  if (status !== 'pending' && status !== 'verifying') throw unexpected('status pending', first);
  await pollDomain(
    'It polls again. A check has completed. Missing records are not an error:',
    'status verifying, without a verificationError',
    (domain) => domain.status === 'verifying' && domain.verificationError === undefined,
  );

  const target = dnsRecords[0]?.value ?? '';
  await publish('The customer enters the whole name in a DNS panel that appends the zone by itself:', [
    { name: DOUBLED, type: 'CNAME', value: target },
  ]);
  await pollDomain(
    'The next check finds it there. verificationError tells the customer what is wrong:',
    `a verificationError that names ${DOUBLED}`,
    (domain) => domain.verificationError?.includes(DOUBLED) === true,
  );

  const asked = 'The platform asks what is wrong. All nameservers are asked at once, and the fix says what to type:';
  const diagnosis = (await call(asked, 'domains.diagnoseDomain', { domain: NAME }, 200)) as DiagnosisData;
  const [finding] = diagnosis.findings;
  if (finding?.code !== 'name_doubled') throw unexpected('the finding name_doubled', diagnosis);
  const mended = diagnosis.records.filter(({ record }) => record === finding.record);
  const zone = mended.map(({ name, type, expected }) => ({ name, type, value: expected }));
  await publish('The customer does what it says:', zone);
  await pollDomain(
    "The next check finds the record at the zone's nameserver:",
    'status verified, and the CNAME record verified',
    (domain) => domain.status === 'verified' && domain.dnsRecords[0]?.verified === true,
  );

  await pollFor<CertificateData>(
    'domains.getCertificate',
    "The domain is verified, so Nameplate orders a certificate: here from its internal CA, in production from a CA such as Let's Encrypt:",
    'state issued',
    ({ state, issued }) => state === 'issued' && issued !== undefined,
  );
  const answer = await visit(ready.edge, NAME);
  const request = { method: 'GET', path: `https://${NAME}/` } as const;
  onStep({ title: "The edge serves the name over HTTPS, from the environment's deployment:", request, answer });
  if (answer.status !== 200) throw unexpected(`status 200 from https://${NAME}/`, answer);

  await playDelivery(call, NAME, onStep);
}
