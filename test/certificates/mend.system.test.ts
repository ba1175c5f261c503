import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CertificateReason } from '../../server/src/domain/certificate-state.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { until } from '../support/server-site.ts';
import { addName, each, expectServed, nameOf, readCertificate } from './live/names.ts';
import { CAA_NAME } from './live/recorder.ts';
import { createIssuingSite, type IssuingSite } from './live/site.ts';
import { visit } from './live/visitor.ts';

let site: IssuingSite;
/** Another server, at the port of the self-check. */
const stranger = createServer((_, response) => response.end('welcome to nginx'));
beforeAll(async () => {
  site = await createIssuingSite();
  await new Promise<void>((resolve) => stranger.listen(site.http.port, '127.0.0.8', resolve));
}, START_LIMIT_MS);
afterAll(async () => {
  await new Promise((resolve) => stranger.close(resolve));
  await site.close();
});

interface Case {
  name: string;
  reason: CertificateReason;
  says: RegExp;
  spoil(): void;
  mend(): void;
}

function leadTo(name: string, address: string): void {
  site.dns.remove(name, 'CNAME');
  site.dns.set(name, 'A', [address]);
}

const [unreachable, elsewhere, forbidden] = [nameOf(1), nameOf(6), nameOf(11)] as const;
const CASES: readonly Case[] = [
  {
    name: unreachable,
    reason: 'unreachable',
    says: /has the address 127\.0\.0\.9, where nothing answers on port 80/,
    spoil: () => leadTo(unreachable, '127.0.0.9'),
    mend: () => leadTo(unreachable, '127.0.0.1'),
  },
  {
    name: elsewhere,
    reason: 'answered_by_another',
    says: /has the address 127\.0\.0\.8, where another server answers: HTTP 200, "welcome to nginx"/,
    spoil: () => leadTo(elsewhere, '127.0.0.8'),
    mend: () => leadTo(elsewhere, '127.0.0.1'),
  },
  {
    name: forbidden,
    reason: 'caa_forbids',
    says: /The CAA record 0 issue "other-ca\.test" of customer2\.test does not allow pebble\.test/,
    spoil: () => site.dns.set('customer2.test', 'CAA', ['0 issue "other-ca.test"']),
    mend: () => site.dns.set('customer2.test', 'CAA', [`0 issue "${CAA_NAME}"`]),
  },
];
/** Longer than the time between two checks in the first hour. */
const STEP_MS = 75_000;

test('names that do not point here, or whose CAA records forbid the CA, cost no request there; the API says why, and once fixed they are issued', async () => {
  const inState = (state: string) => async () => {
    const found = await Promise.all(CASES.map(({ name }) => readCertificate(site, name)));
    return found.every((certificate) => certificate.state === state);
  };
  // The owners change the records after the verification, before the first attempt.
  site.env.NAMEPLATE_ROLES = 'api,verifier';
  const verifier = await site.serve();
  for (const { name } of CASES) await addName(site, name);
  await until('the names are verified', inState('wanted'));
  await site.end(verifier, 'kill');
  for (const { spoil } of CASES) spoil();
  delete site.env.NAMEPLATE_ROLES;
  const node = await site.serve();

  const lookedAt = new Map<string, number>();
  for (let looks = 0; looks < 4; looks++) {
    if (looks > 0) await node.tell(`step ${STEP_MS}`);
    for (const { name, reason, says } of CASES) {
      await until(`${name} is looked at`, async () => {
        const { state, problem, selfCheck: { at } = { at: 0 } } = await readCertificate(site, name);
        if (at <= (lookedAt.get(name) ?? 0) || problem === undefined) return false;
        lookedAt.set(name, at);
        expect({ state, ...problem }).toMatchObject({
          state: 'waiting_for_routing',
          reason,
          message: expect.stringMatching(says),
        });
        return true;
      });
    }
  }
  // The directory has the CA's issuer domain name.
  expect(site.recorder.requests.map(({ step }) => step)).toEqual(['directory']);

  for (const { mend } of CASES) mend();
  await node.tell(`step ${STEP_MS}`);
  await until('the names are issued', inState('issued'));
  // The edge knows the names without their certificates from the checks, until its next poll of the change feed.
  const isServed = ({ name }: { name: string }) =>
    visit(site, name).then(
      () => true,
      () => false,
    );
  await until('the edge serves them', async () => (await Promise.all(CASES.map(isServed))).every(Boolean));
  const store = await site.open();
  await each(CASES, 3, ({ name }) => expectServed(site, store, name));
  await store.close();
  // Its clock is set forward step by step.
  const errors = node.errors().filter(({ msg }) => !String(msg).startsWith('the clock jumped'));
  expect(errors).toEqual([]);
}, 180_000);
