import { describe, expect, it } from 'vitest';
import type { DomainEvent, Site, UsageInTime } from '../../client/client.ts';
import { bytes, daily, difference, honestSteps, metadataChange, sumOf, tellEvent } from './domain-facts.ts';
import { en } from './languages/en.ts';
import { setDashboardTexts } from './text.ts';

setDashboardTexts(en);

const DONE = { dns: 'done', certificate: 'done', live: 'done' } as const;
const marked = (parts: { text: string; differs: boolean }[]) =>
  parts.map(({ text, differs }) => (differs ? `<${text}>` : text)).join('');

describe('the last step is what visitors get, not what the store has', () => {
  it.each([
    ['not looked at yet', {}, 'current'],
    ['reached', { live: { state: 'live' } }, 'done'],
    ['reached in part', { live: { state: 'partly_live' } }, 'problem'],
    ['another server answers', { live: { state: 'unreachable' } }, 'problem'],
    ['suspended', { live: { state: 'live' }, suspension: {} }, 'problem'],
  ])('%s: %j', (_, about, live) => {
    expect(honestSteps(DONE, about as Site)).toEqual({ ...DONE, live });
  });

  it('before the certificate, the steps are those of the records', () => {
    const steps = { ...DONE, certificate: 'current', live: 'waiting' } as const;
    expect(honestSteps(steps, { live: { state: 'unreachable' } } as Site)).toBe(steps);
  });
});

describe('the difference of two values marks each character that the other lacks', () => {
  it.each([
    ['abc', 'abc', 'abc', 'abc'],
    ['abX', 'abc', 'ab<X>', 'ab<c>'],
    ['shop.acme.com.acme.com', 'shop.acme.com', 'shop<.acme.com>.acme.com', 'shop.acme.com'],
    ['token-O', 'token-0', 'token-<O>', 'token-<0>'],
    ['a b', 'ab', 'a<␣>b', 'ab'],
    ['a\u3164b', 'ab', 'a<\\u{3164}>b', 'ab'],
    ['a\u202eb', 'ab', 'a<\\u{202e}>b', 'ab'],
    ['', 'ab', '', '<ab>'],
    ['old.host.example', 'x7k2.cname.platform.test', '<old.host.example>', '<x7k2.cname.platform.test>'],
  ])('%j beside %j', (seen, expected, first, second) => {
    const found = difference(seen, expected);
    const [left, right] = [marked(found.seen), marked(found.expected)];
    expect(right).toBe(second);
    // The same characters may stand at several places.
    expect(left.replaceAll(/[<>]/g, '')).toBe(first.replaceAll(/[<>]/g, ''));
    expect(left.match(/<[^>]*>/g)?.join('').length).toBe(first.match(/<[^>]*>/g)?.join('').length);
  });
});

describe('an event is told with what was seen', () => {
  const tell = (type: string, data: object) => tellEvent({ id: 'evt_1', at: 0, type, data } as unknown as DomainEvent);

  it.each([
    [
      'record.seen',
      { record: 'ownership', seen: ['<b>x</b>'] },
      { title: 'Record seen: ownership', seen: ['<b>x</b>'] },
    ],
    ['domain.failed', { verificationError: 'No record.' }, { tone: 'bad', lines: [{ text: 'No record.' }] }],
    ['domain.failed', { verificationError: 'No.', findings: [{ message: 'Found.' }] }, { lines: [{ text: 'Found.' }] }],
    ['domain.verified', { verificationError: 'Old.' }, { tone: 'good', lines: [] }],
    ['redirect.set', { redirect: { to: 'acme.com', status: 308 } }, { lines: [{ text: '→ acme.com (308)' }] }],
    [
      'site.unreachable',
      { live: { addresses: [{ address: '192.0.2.1', problem: 'answered_by_another' }] } },
      { lines: [{ text: '192.0.2.1: another server answers' }] },
    ],
    ['something.new', {}, { title: 'something.new', tone: 'quiet' }],
    ['constructor', {}, { title: 'constructor' }],
  ])('%s %j', (type, data, told) => {
    expect(tell(type, data)).toMatchObject(told);
  });
});

describe('usage', () => {
  const DAY = 86_400_000;
  const usage: UsageInTime[] = [
    { at: DAY, requests: 2, bytesIn: 1, bytesOut: 1, edgeErrors: 1, originErrors: 0 },
    { at: 3 * DAY, requests: 3, bytesIn: 1, bytesOut: 1, edgeErrors: 0, originErrors: 2 },
  ];

  it('has one entry for each day, the last of them today', () => {
    expect(daily(usage, 3 * DAY + 5, 3).map(({ requests }) => requests)).toEqual([2, 0, 3]);
  });

  it('keeps the 5xx of the edge apart from those of the origin', () => {
    expect(sumOf(usage)).toMatchObject({ requests: 5, edgeErrors: 1, originErrors: 2 });
  });

  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1400, '1.4 kB'],
    [2_000_000, '2 MB'],
  ])('%d bytes are written %s', (count, text) => {
    expect(bytes(count)).toBe(text);
  });
});

describe('metadata that was typed', () => {
  it.each([
    ['plan=pro', {}, { plan: 'pro' }],
    ['a=b=c', {}, { a: 'b=c' }],
    ['', { plan: 'pro' }, { plan: null }],
    ['nothing', {}, null],
    ['=x', {}, null],
  ])('%j, before %j', (lines, before, change) => {
    expect(metadataChange(lines, before)).toEqual(change);
  });
});
