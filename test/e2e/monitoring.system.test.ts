import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, startPlayground, temporaryDirectory } from '../support/command.ts';

const INTERVAL_S = 2;

const directory = temporaryDirectory();
const data = ['--data', directory.path];
let playground: Awaited<ReturnType<typeof startPlayground>>;

beforeAll(async () => {
  playground = await startPlayground(directory.path, [
    '--check-interval',
    '0.5',
    '--monitor-interval',
    `${INTERVAL_S}`,
  ]);
});
afterAll(async () => {
  await playground.stop();
  directory.remove();
});

interface Shown {
  status: string;
  verificationError?: string;
  updatedAt?: number;
  dnsRecords: { verified: boolean }[];
}

async function get(domain: string): Promise<Shown> {
  const { api, rootKey } = playground.ready;
  const response = await fetch(`${api}/v2/domains.getDomain`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rootKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ domain }),
  });
  return ((await response.json()) as { data: Shown }).data;
}

/** Polls, as a client would. Resolves with the domain, and how long that took. */
async function until(domain: string, holds: (shown: Shown) => boolean): Promise<Shown & { tookS: number }> {
  const began = performance.now();
  for (;;) {
    const shown = await get(domain);
    const tookS = (performance.now() - began) / 1000;
    if (holds(shown) || tookS > 30) return { ...shown, tookS };
    await delay(50);
  }
}

async function verified(domain: string): Promise<Shown> {
  await run(['domains', 'create', domain, ...data]);
  await run(['dns', 'publish', domain, ...data]);
  return until(domain, ({ status, dnsRecords }) => status === 'verified' && dnsRecords.at(-1)?.verified === true);
}

const flags = ({ dnsRecords }: Shown) => dnsRecords.map(({ verified: is }) => is);

test.concurrent('a verified domain whose records are removed says so within the interval, stays verified, and recovers', async () => {
  await verified('shop.example.com');
  await run(['dns', 'remove', 'shop.example.com', 'CNAME', ...data]);
  await run(['dns', 'remove', '_service.shop.example.com', 'TXT', ...data]);
  const drifted = await until('shop.example.com', (shown) => !flags(shown).includes(true));
  expect(drifted).toMatchObject({ status: 'verified' });
  expect(drifted.verificationError).toMatch(
    /^There is no CNAME record at shop\.example\.com\. The name does not exist\./,
  );
  // Twice, for a machine that is busy with other tests.
  expect(drifted.tookS).toBeLessThan(2 * INTERVAL_S);
  // Monitoring changes nothing that verifyDomain does.
  const verify = await run(['domains', 'verify', 'shop.example.com', ...data]);
  expect(verify).toMatchObject({ code: 1, stderr: expect.stringContaining('Precondition Failed') });

  await run(['dns', 'publish', 'shop.example.com', ...data]);
  const recovered = await until('shop.example.com', ({ verificationError }) => verificationError === undefined);
  expect(flags(recovered)).toEqual([true, true]);
  expect(recovered.status).toBe('verified');
});
