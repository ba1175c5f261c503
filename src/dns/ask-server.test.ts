import { describe, expect, test } from 'vitest';
import { type Failure, type Heard, hearInTurn, type Server } from './ask-server.ts';
import type { Message } from './protocol/wire.ts';

const ANSWER: Message = {
  rcode: 'noerror',
  authoritative: true,
  truncated: false,
  authenticated: false,
  answers: [],
  authorities: [],
  additionals: [],
};

/** Asks servers that behave as told: an answer, or a failure, in each round or one for each round. */
async function heardFrom(behaviour: Record<string, ('answer' | Failure)[]>, rounds = [1, 2]) {
  const asked: string[] = [];
  const servers = Object.keys(behaviour).map((name) => ({ name, address: '192.0.2.1', port: 53 }));
  const heard = await hearInTurn(servers, rounds, async (server: Server, timeoutMs): Promise<Heard> => {
    asked.push(`${server.name} ${timeoutMs}`);
    const told = behaviour[server.name] ?? [];
    const one = told[timeoutMs - 1] ?? told[0] ?? 'timeout';
    return one === 'answer'
      ? { kind: 'answer', answer: { ...ANSWER, transport: 'udp' }, server }
      : { kind: 'failed', reason: one, server };
  });
  const result =
    heard.kind === 'answer' ? `answer of ${heard.server.name}` : `${heard.reason} of ${heard.server?.name}`;
  return { asked, result };
}

describe('servers asked in turn', () => {
  test('until one answers', async () => {
    expect(await heardFrom({ a: ['refused'], b: ['answer'], c: ['answer'] })).toEqual({
      asked: ['a 1', 'b 1'],
      result: 'answer of b',
    });
  });

  test('the silent ones once more, with more time; those that said something not again', async () => {
    expect(await heardFrom({ a: ['timeout', 'answer'], b: ['servfail'] })).toEqual({
      asked: ['a 1', 'b 1', 'a 2'],
      result: 'answer of a',
    });
  });

  test('three at most, not counting those that cannot be sent to', async () => {
    const { asked } = await heardFrom({
      a: ['unreachable'],
      b: ['timeout'],
      c: ['refused'],
      d: ['timeout'],
      e: ['answer'],
    });
    expect(asked).toEqual(['a 1', 'b 1', 'c 1', 'd 1', 'b 2', 'd 2']);
  });

  test('the failure given is more than silence if one is', async () => {
    expect((await heardFrom({ a: ['timeout'], b: ['lame'], c: ['refused'] })).result).toBe('lame of b');
    expect((await heardFrom({ a: ['unreachable'], b: ['timeout'] })).result).toBe('timeout of b');
  });

  test('the failure given is the same in whichever order they are asked', async () => {
    expect((await heardFrom({ c: ['refused'], a: ['timeout'], b: ['lame'] })).result).toBe('lame of b');
    for (const failure of ['timeout', 'unreachable', 'servfail'] as const) {
      expect((await heardFrom({ a: [failure], b: [failure] })).result).toBe(`${failure} of a`);
      expect((await heardFrom({ b: [failure], a: [failure] })).result).toBe(`${failure} of a`);
    }
  });

  test('none at all is no nameserver', async () => {
    expect((await heardFrom({})).result).toBe('no_nameserver of undefined');
  });
});
