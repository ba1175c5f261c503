import { expect, test } from 'vitest';
import type { ApiClient } from '../../server/src/cli/api/api-client.ts';
import { moveNames, type PlacedName } from '../../server/src/cli/move/move-names.ts';

const place = { environment: 'env_1' };
const NAMES = 20_000;

function name(at: number, more: Partial<PlacedName> = {}): PlacedName {
  const own = { metadata: { moved_from: 'caddy' } };
  return { line: at + 1, domain: `n${at}.example.com`, own, notes: [], problem: null, share: 0, place, ...more };
}

/** An API that adds all names and takes all certificates, and what a report was given. */
function world() {
  const calls: string[] = [];
  const reported: string[] = [];
  let sent = 0;
  const api = {
    async call(operation: string, body: { domains?: { domain: string }[] }) {
      calls.push(operation);
      sent += body.domains?.length ?? 0;
      return body.domains?.map(({ domain }) => ({ domain, domainId: `dom_${domain}` })) ?? {};
    },
  } as unknown as ApiClient;
  const report = {
    shown: [],
    count: () => reported.length,
    end: () => undefined,
    add: ({ reason }: { reason: string }) => void reported.push(reason),
  };
  return { api, report, calls, reported, sent: () => sent };
}

test('names and keys stream: at most one batch of them is in memory, however many an account has', async () => {
  const { api, report, calls, sent } = world();
  let most = 0;
  async function* names() {
    for (let at = 0; at < NAMES; at += 1) {
      most = Math.max(most, at - sent());
      yield name(at, { certificate: { certificates: 'PEM', privateKey: 'PEM' } });
    }
  }
  const moved = await moveNames(api, names, { report });
  expect(moved).toMatchObject({ created: NAMES, certificates: { uploaded: NAMES, existing: 0, refused: 0 } });
  expect(most).toBeLessThan(100);
  expect(calls).toEqual(Array.from({ length: NAMES / 100 }, () => 'domains.createDomains'));
});

test('a report takes each refusal as it comes, so that a million of them need no memory', async () => {
  const { api, report, reported } = world();
  let [at, behind] = [0, 0];
  async function* names() {
    for (; at < NAMES; at += 1) {
      behind = Math.max(behind, at - reported.length);
      yield name(at, { problem: 'It is alien.' });
    }
  }
  expect(await moveNames(api, names, { report })).toMatchObject({ created: 0, refused: NAMES });
  expect([behind, reported.length]).toEqual([0, NAMES]);
});

test('a dry run uploads nothing and sets no redirect', async () => {
  const { api, report, calls } = world();
  async function* names() {
    yield name(1, { certificate: { certificates: 'PEM', privateKey: 'PEM' } });
    yield name(2, { redirect: { to: 'n1.example.com', status: 308 } });
  }
  expect(await moveNames(api, names, { dryRun: true, report })).toMatchObject({
    created: 2,
    certificates: { uploaded: 1 },
    redirects: { set: 1 },
  });
  expect(calls).toEqual(['domains.createDomains']);
});
