import { describe, expect, test } from 'vitest';
import { ZONE } from '../../../test/support/fixed-answers.ts';
import type { Failure } from '../domain/reading.ts';
import { askServers, failed } from './ask-server.ts';
import type { DnsMessage } from './protocol/wire.ts';

const MESSAGE: DnsMessage = {
  transport: 'udp',
  rcode: 'noerror',
  authoritative: true,
  answers: [],
  authorities: [],
  additionals: [],
  authenticated: false,
  error: null,
};

/** Asks servers with these results, the same one in both rounds or one for each. */
async function askAll(results: Record<string, ('answer' | Failure)[]>) {
  const asked: string[] = [];
  const servers = Object.keys(results).map((name) => ({ name, address: name, port: 53 }));
  const response = await askServers(ZONE, servers, [1, 2], async (server, timeoutMs) => {
    asked.push(`${server.name} ${timeoutMs}`);
    const own = results[server.name] ?? [];
    const reason = own[timeoutMs - 1] ?? own[0] ?? 'timeout';
    if (reason !== 'answer') return failed(reason, server, ZONE);
    return { kind: 'answer', message: MESSAGE, server, zone: ZONE, failures: [] };
  });
  const what = response.kind === 'answer' ? 'answer' : response.reason;
  return { asked, result: `${what} of ${response.server?.name}` };
}

describe('askServers', () => {
  test('asks one server after the other until one answers', async () => {
    expect(await askAll({ a: ['refused'], b: ['answer'], c: ['answer'] })).toEqual({
      asked: ['a 1', 'b 1'],
      result: 'answer of b',
    });
  });

  test('asks servers that timed out once more, with a longer timeout; other failures are final', async () => {
    expect(await askAll({ a: ['timeout', 'answer'], b: ['servfail'] })).toEqual({
      asked: ['a 1', 'b 1', 'a 2'],
      result: 'answer of a',
    });
  });

  test('asks three servers at most, not counting unreachable ones', async () => {
    const { asked } = await askAll({
      a: ['unreachable'],
      b: ['timeout'],
      c: ['refused'],
      d: ['timeout'],
      e: ['answer'],
    });
    expect(asked).toEqual(['a 1', 'b 1', 'c 1', 'd 1', 'b 2', 'd 2']);
  });

  test('returns the failure of a server that responded rather than a timeout', async () => {
    expect((await askAll({ a: ['timeout'], b: ['lame'], c: ['refused'] })).result).toBe('lame of b');
    expect((await askAll({ a: ['unreachable'], b: ['timeout'] })).result).toBe('timeout of b');
  });

  test('returns the same failure in whichever order the servers are asked', async () => {
    expect((await askAll({ c: ['refused'], a: ['timeout'], b: ['lame'] })).result).toBe('lame of b');
    for (const failure of ['timeout', 'unreachable', 'servfail'] as const) {
      expect((await askAll({ a: [failure], b: [failure] })).result).toBe(`${failure} of a`);
      expect((await askAll({ b: [failure], a: [failure] })).result).toBe(`${failure} of a`);
    }
  });

  test('fails with no_nameserver without servers', async () => {
    expect((await askAll({})).result).toBe('no_nameserver of undefined');
  });
});
