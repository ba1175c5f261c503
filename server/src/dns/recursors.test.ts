import packet from 'dns-packet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DnsListener, listen } from '../../../playground/dns/dns-listener.ts';
import { queryBudget } from './query-budget.ts';
import { recursors } from './recursors.ts';
import { type DnsClient, dnsClient } from './transport/dns-client.ts';

const SERVFAIL = 2;

type Reply = Pick<packet.Packet, 'answers' | 'authorities' | 'flags'>;

let client: DnsClient;
let resolver: DnsListener;
/** Responses by `name type`; empty for any other question. */
let replies: Record<string, Reply>;

beforeEach(async () => {
  client = dnsClient();
  resolver = await listen('127.0.0.1', 0, (octets, _from, _transport, reply) => {
    const { id = 0, questions = [] } = packet.decode(octets);
    const [question] = questions;
    reply(packet.encode({ type: 'response', id, questions, ...replies[`${question?.name} ${question?.type}`] }));
  });
});
afterEach(async () => {
  client.close();
  await resolver.close();
});

function findApex(name: string) {
  const resolvers = [{ address: '127.0.0.1', port: resolver.port }];
  const { findApex } = recursors({ client, resolvers });
  return findApex(name, { signal: AbortSignal.timeout(10_000), budget: queryBudget() });
}

const soa = (name: string): packet.Answer => ({
  type: 'SOA',
  name,
  ttl: 60,
  data: { mname: 'ns1.acme.com', rname: 'hostmaster.acme.com' },
});
const alias: packet.Answer = { type: 'CNAME', name: 'www.acme.com', ttl: 60, data: 'edge.cdn.test' };

describe('findApex', () => {
  test('finds the zone although the target of a CNAME cannot be resolved', async () => {
    replies = {
      'www.acme.com CNAME': { answers: [alias] },
      'www.acme.com SOA': { answers: [alias], flags: SERVFAIL },
      'acme.com CNAME': { authorities: [soa('acme.com')] },
    };
    expect(await findApex('www.acme.com')).toEqual({ kind: 'apex', apex: 'acme.com' });
  });

  test('finds the zone although a CNAME points into the zone above', async () => {
    replies = {
      'www.sub.acme.com CNAME': { answers: [{ ...alias, name: 'www.sub.acme.com', data: 'gone.acme.com' }] },
      'sub.acme.com CNAME': { authorities: [soa('sub.acme.com')] },
    };
    expect(await findApex('www.sub.acme.com')).toEqual({ kind: 'apex', apex: 'sub.acme.com' });
  });

  test('finds the zone although the resolver leaves out the SOA', async () => {
    replies = { 'acme.com SOA': { answers: [soa('acme.com')] } };
    expect(await findApex('_service.www.acme.com')).toEqual({ kind: 'apex', apex: 'acme.com' });
  });

  test('fails when no zone above can be found either', async () => {
    replies = {};
    expect(await findApex('www.acme.com')).toMatchObject({ kind: 'failed', reason: 'no_nameserver' });
  });
});
