import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AA, type DnsTree, startDnsTree, within } from '../../../test/support/dns-tree.ts';
import { loopbackClient } from '../../../test/support/simulators.ts';
import { queryBudget } from './query-budget.ts';
import type { RecordQuestion, Resolver } from './resolver.ts';
import type { DnsClient } from './transport/dns-client.ts';

const TXT: RecordQuestion = { name: '_service.www.acme.com', type: 'TXT' };
/** Nothing listens there. */
const DEAD = '127.0.0.9';

let tree: DnsTree;
beforeEach(async () => {
  tree = await startDnsTree();
});
afterEach(() => tree.close());

function both(set: (server: DnsTree['ns1']) => void): void {
  set(tree.ns1);
  set(tree.ns2);
}

/** The reason of the last answer; its kind where it could be read. */
async function outcome(querying: ReturnType<Resolver['query']>): Promise<string | undefined> {
  const answer = (await querying).nameservers.at(-1)?.answers[0];
  return answer?.kind === 'unreadable' ? answer.reason : answer?.kind;
}

const until = (signal: AbortSignal) => ({ signal, budget: queryBudget() });

describe("the zone's own nameservers are asked", () => {
  test("so that a resolver's cache hides nothing, and never with RD", async () => {
    tree.resolver.set(TXT.name, 'TXT', ['stale']);
    const flags: boolean[] = [];
    await tree.serve(tree.ns1.address, (_question, query) => {
      flags.push(query.flag_rd);
      return { flags: AA, answers: [{ type: 'TXT', name: TXT.name, ttl: 60, data: 'fresh' }] };
    });
    expect((await tree.subject().query(TXT, within())).nameservers).toMatchObject([
      { answers: [{ values: ['fresh'] }] },
    ]);
    expect(flags).toEqual([false]);
  });

  test.each(['servfail', 'refused', 'lame'] as const)('where all of them are %s, each is named', async (fault) => {
    tree.resolver.set(TXT.name, 'TXT', ['from the resolver']);
    both((server) => server.fail(TXT.name, fault));
    expect((await tree.subject().query(TXT, within())).nameservers).toMatchObject([
      { server: 'ns1.acme.com', answers: [{ reason: fault }] },
      { server: 'ns2.acme.com', answers: [{ reason: fault }] },
    ]);
  });
});

describe('a hostile zone cannot', () => {
  test.each(['10.0.0.1', '169.254.169.254', '127.0.0.2', '::1', 'fd00:ec2::254', '64:ff9b::a00:1'])(
    'make us ask %s',
    async (address) => {
      const client = loopbackClient();
      const sent: string[] = [];
      const spy: DnsClient = {
        query: (question, server, options) => {
          sent.push(server.address);
          return client.query(question, server, options);
        },
        close: client.close,
      };
      const serving = '127.0.0.6';
      // The registry is reached at an allowed address that the zone does not name.
      await tree.serve(serving, ({ name }) => ({
        authorities: [{ type: 'NS', name, ttl: 60, data: `ns.${name}` }],
        additionals: [{ type: address.includes(':') ? 'AAAA' : 'A', name: `ns.${name}`, ttl: 60, data: address }],
      }));
      tree.resolver.set('a.registry.test', 'A', [serving]);
      const { query } = tree.subject({ client: spy, allowedNetworks: [`${serving}/32`] });
      expect((await query(TXT, within())).zone.failure).toEqual({ reason: 'forbidden_address' });
      client.close();
      expect(new Set(sent)).toEqual(new Set([tree.resolver.address, serving]));
    },
  );

  test('make us ask special addresses beside others', async () => {
    const { query } = tree.subject({
      allowedNetworks: ['127.0.0.2/32', `${tree.ns2.address}/32`],
      random: Math.random,
    });
    for (let check = 0; check < 20; check++) {
      expect((await query(TXT, within())).nameservers).toMatchObject([{ address: tree.ns2.address }]);
    }
    expect(tree.ns1.log()).toEqual([]);
  });

  test('make us follow the names of fifty nameservers (NXNSAttack)', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `ns.victim${index}.test`);
    tree.com.delegate('acme.com', names);
    const { query } = tree.subject({ random: Math.random });
    expect((await query(TXT, within())).zone.failure?.reason).toBe('no_nameserver');
    const followed = new Set(tree.resolver.log().flatMap(({ name }) => (name.includes('victim') ? [name] : [])));
    expect(followed.size).toBe(6);
  });

  test('make us follow nameservers that need each other for ever', async () => {
    tree.delegate('a.com', { 'ns.b.com': null });
    tree.delegate('b.com', { 'ns.a.com': null });
    for (const name of ['ns.a.com', 'ns.b.com']) tree.resolver.fail(name, 'servfail');
    const before = Date.now();
    expect((await tree.subject().query({ name: 'www.a.com', type: 'TXT' }, within())).zone.failure?.reason).toBe(
      'servfail',
    );
    expect(Date.now() - before).toBeLessThan(5_000);
  });

  test('delay other zones with a nameserver that does not respond', async () => {
    tree.delegate('dead.com', { 'ns1.dead.com': DEAD });
    await tree.serve(DEAD, () => null);
    const { query } = tree.subject({ limits: { inFlight: 2, perSecond: 1000 } });
    const controller = new AbortController();
    const stuck = Array.from({ length: 10 }, (_, index) =>
      outcome(query({ name: `w${index}.dead.com`, type: 'TXT' }, until(controller.signal))),
    );
    expect(await outcome(query(TXT, within()))).toBe('absent');
    controller.abort();
    for (const reason of await Promise.all(stuck)) expect(['timeout', 'overloaded', undefined]).toContain(reason);
  });

  test('delay its own queries with one silent nameserver when another responds', async () => {
    tree.ns1.fail('dead.acme.com', 'timeout');
    const { query } = tree.subject({ limits: { inFlight: 1, perSecond: 1000 }, triesMs: [60_000] });
    await query(TXT, within());
    const controller = new AbortController();
    const stuck = query({ name: 'dead.acme.com', type: 'TXT' }, until(controller.signal));
    await expect.poll(() => tree.ns1.log().some(({ name }) => name === 'dead.acme.com')).toBe(true);
    expect((await query(TXT, within())).nameservers).toMatchObject([
      { server: 'ns2.acme.com', answers: [{ kind: 'absent' }] },
    ]);
    controller.abort();
    await stuck;
  });
});

describe('an abort', () => {
  test('is overloaded for a query that waits for the throttle', async () => {
    tree.delegate('acme.com', { 'ns1.acme.com': tree.ns1.address });
    tree.ns1.fail(TXT.name, 'timeout');
    const { query } = tree.subject({ limits: { inFlight: 1, perSecond: 1000 }, triesMs: [60_000] });
    await query({ name: 'acme.com', type: 'TXT' }, within());
    const queries = [query(TXT, until(AbortSignal.timeout(200))), query(TXT, until(AbortSignal.timeout(100)))];
    expect(await Promise.all(queries.map(outcome))).toEqual(['timeout', 'overloaded']);
  });
});

test('each query is counted by the kind of its answer', async () => {
  both((server) => {
    server.set(TXT.name, 'TXT', ['x'.repeat(2000)]);
    server.set('www.acme.com', 'A', ['192.0.2.1']);
  });
  tree.ns1.fail('bad.acme.com', 'refused');
  const kinds: string[] = [];
  const { query } = tree.subject({ onAnswer: (kind) => kinds.push(kind) });
  await query(TXT, within());
  expect(kinds).toContain('referral');
  kinds.length = 0;
  for (const name of [TXT.name, 'no.acme.com', 'www.acme.com', 'bad.acme.com']) await query({ ...TXT, name }, within());
  expect(kinds).toEqual(['truncated', 'answer', 'nxdomain', 'nodata', 'refused', 'nxdomain']);
});
