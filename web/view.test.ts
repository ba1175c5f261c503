import { describe, expect, it } from 'vitest';
import { STATES } from '../test/web/states.ts';
import type { Followed } from './follow.ts';
import { comparisonOf, type Stage, viewOf } from './view.ts';

const followed = (name: string): Followed => ({
  link: 'open',
  advice: null,
  isConnected: true,
  isCrowded: false,
  brand: {},
  domain: STATES[name]?.script.domain ?? null,
  diagnosis: STATES[name]?.script.diagnosis ?? null,
  certificate: STATES[name]?.script.certificate ?? null,
  isChecking: false,
  busyUntil: null,
  clockOffset: 0,
});

describe('what is shown', () => {
  it.each<[string, Stage, string]>([
    ['before the first look', 'publish', 'current waiting waiting waiting'],
    ['publish', 'publish', 'current waiting waiting waiting'],
    ['one found', 'one_found', 'current waiting waiting waiting'],
    ['fix', 'fix', 'problem waiting waiting waiting'],
    ['held elsewhere', 'fix', 'problem waiting waiting waiting'],
    ['confirming', 'confirming', 'done current waiting waiting'],
    ['failed', 'failed', 'problem waiting waiting waiting'],
    ['certificate', 'certificate', 'done done current waiting'],
    ['certificate blocked', 'certificate_blocked', 'done done problem waiting'],
    ['live', 'live', 'done done done done'],
    ['live, but drifted', 'live_at_risk', 'problem done done problem'],
  ])('%s is the stage %s', (name, stage, steps) => {
    const view = viewOf(followed(name));
    expect(view?.stage).toBe(stage);
    expect(Object.values(view?.steps ?? {}).join(' ')).toBe(steps);
  });

  it('is nothing before a domain is known', () => {
    expect(viewOf({ ...followed('publish'), domain: null })).toBeUndefined();
  });

  it('is no mistake where a record is merely missing', () => {
    const { diagnosis, ...rest } = followed('publish');
    const missing = { code: 'record_missing', severity: 'blocking', message: '', fix: '', retryable: true } as const;
    if (diagnosis === null) throw new Error('it has been looked at');
    expect(viewOf({ ...rest, diagnosis: { ...diagnosis, findings: [missing] } })?.stage).toBe('publish');
  });

  it('nameservers that say the same are shown together', () => {
    expect(viewOf(followed('fix'))?.records.map(({ state, seen }) => [state, seen])).toEqual([
      [
        'wrong',
        [
          {
            outcome: 'other',
            values: ['old-shop.example.net', '203.0.113.10'],
            nameservers: ['kip.ns.cloudflare.com', 'zoe.ns.cloudflare.com'],
          },
        ],
      ],
      ['missing', [{ outcome: 'absent', values: [], nameservers: ['kip.ns.cloudflare.com', 'zoe.ns.cloudflare.com'] }]],
    ]);
  });

  it('a record at a doubled name is compared by its name, since its value is right', () => {
    const [routing] = viewOf(followed('publish'))?.records ?? [];
    if (routing === undefined) throw new Error('it has records');
    const name = `${routing.name}.example.com`;
    const doubled = {
      code: 'name_doubled',
      severity: 'blocking',
      record: 'routing',
      name,
      seen: [routing.expected],
      expected: routing.expected,
      message: '',
      fix: '',
      retryable: false,
    } as const;
    expect(comparisonOf({ ...doubled, seen: [...doubled.seen] }, [routing])).toEqual({
      found: [name],
      expected: routing.name,
      isTyped: false,
    });
  });
});
