import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { type AcmeClient, createAcmeClient, type Signer } from '../../server/src/certificates/acme/acme-client.ts';
import { type CaTransport, caTransport } from '../../server/src/certificates/acme/ca-transport.ts';
import { newPrivateKey, readPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import type { CaLimit } from '../../server/src/store/store.ts';
import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
import { AcmeProblem } from '../support/fake-ca/problem.ts';
import { createIssuing, type Issuing } from './issuing.ts';

/** Tests of the fake CA: it is as strict as a real one, and detects what it should. */

let world: Issuing;
beforeAll(async () => {
  world = await createIssuing();
});
afterAll(() => world.close());

const HOUR_MS = 3_600_000;

/** A client whose requests may be changed in transit. */
function clientOf(ca: FakeCa, spoil: (body: string) => string = (body) => body): AcmeClient {
  const sent = caTransport({ trustRoots: null, timeoutMs: 5_000 });
  const transport: CaTransport = (request) =>
    sent(request.body === undefined ? request : { ...request, body: spoil(request.body) });
  return createAcmeClient({ directoryUrl: ca.directoryUrl, transport, clock: world.clock, log: createLog('silent') });
}

async function registered(ca: FakeCa, client = clientOf(ca)): Promise<Signer> {
  const key = readPrivateKey(newPrivateKey());
  const { newAccount } = await client.directory();
  const { location = '' } = await client.post({ key, accountUrl: null }, newAccount, { termsOfServiceAgreed: true });
  return { key, accountUrl: location };
}

describe('it notices', () => {
  test('two open orders for the same name', async () => {
    const ca = await world.startCa();
    const client = clientOf(ca);
    const signer = await registered(ca, client);
    const { newOrder } = await client.directory();
    const order = (value: string) => client.post(signer, newOrder, { identifiers: [{ type: 'dns', value }] });
    await order('a.example.com');
    await order('b.example.com');
    expect(ca.ordersAtOnce).toEqual([]);
    await order('a.example.com');
    expect(ca.ordersAtOnce).toEqual(['a.example.com']);
    world.clock.pass(7 * 24 * HOUR_MS);
    await order('b.example.com');
    expect(ca.ordersAtOnce).toEqual(['a.example.com']);
  });

  const cases: [CaLimit, (ca: FakeCa, count: number) => Promise<unknown>][] = [
    [{ name: 'orders', limit: 3, windowMs: HOUR_MS }, (ca) => world.issuer(ca).issue(world.task())],
    [
      { name: 'certificates', limit: 3, windowMs: HOUR_MS },
      (ca, count) => world.issuer(ca).issue(world.task({ hostname: `${ca.requests.directory}-${count}.example.org` })),
    ],
    [
      { name: 'duplicates', limit: 3, windowMs: HOUR_MS },
      (ca) => world.issuer(ca).issue(world.task({ hostname: 'same.example.net' })),
    ],
    [
      { name: 'failures', limit: 3, windowMs: HOUR_MS },
      async (ca) => {
        ca.failAuthorizations('fails.example.net', new AcmeProblem(403, 'unauthorized', 'no'));
        const issuing = world.issuer(ca).issue(world.task({ hostname: 'fails.example.net' }));
        await issuing.catch((error: { kind: string }) => {
          if (error.kind !== 'authorization_failed') throw error;
        });
      },
    ],
  ];
  test.each(cases)('requests beyond a published limit: $name', async (limit, spend) => {
    const ca = await world.startCa({ limits: [limit] });
    for (let count = 0; count < limit.limit; count++) {
      await spend(ca, count);
      world.clock.pass(60_000);
    }
    expect(ca.exceeded).toEqual([]);
    await expect(spend(ca, limit.limit)).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: HOUR_MS - limit.limit * 60_000,
    });
    expect(ca.exceeded).toMatchObject([{ limit: limit.name }]);
    world.clock.pass(HOUR_MS - limit.limit * 60_000);
    await spend(ca, limit.limit + 1);
  });

  test('that an exempt renewal counts towards no limit', async () => {
    const limits = (['orders', 'certificates', 'duplicates'] as const).map((name) => ({
      name,
      limit: 1,
      windowMs: HOUR_MS,
    }));
    const ca = await world.startCa({ limits });
    const task = world.task();
    let { chain } = await world.issuer(ca).issue(task);
    for (let renewals = 0; renewals < 3; renewals++) {
      const replaces = await world.issuer(ca).renewalId(chain);
      ({ chain } = await world.issuer(ca).issue(world.task({ hostname: task.hostname, replaces })));
    }
    expect(ca.exceeded).toEqual([]);
    await expect(world.issuer(ca).issue(world.task({ hostname: task.hostname }))).rejects.toMatchObject({
      kind: 'rate_limited',
    });
  });
});
