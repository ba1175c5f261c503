import { describe, expect, it } from 'vitest';
import type { Site } from '../../client/client.ts';
import { en } from './languages/en.ts';
import { byWeek, firstSentence, stuckNames } from './stuck.ts';
import { setDashboardTexts } from './text.ts';

setDashboardTexts(en);

const NOW = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const site = (id: string, status: string, ageMs: number, about: object = {}) =>
  ({
    certificate: { state: 'none' },
    ...about,
    domain: {
      id,
      domain: `${id}.example.com`,
      status,
      createdAt: NOW - ageMs,
      updatedAt: NOW - ageMs,
      ...('domain' in about ? (about.domain as object) : {}),
    },
  }) as unknown as Site;
const idsOf = (group: { site: Site }[]) => group.map((each) => each.site.domain.id);

describe('the names that need somebody', () => {
  it('are sorted by whose turn it is, the oldest first, each once', () => {
    const failed = { certificate: { state: 'failed', problem: { reason: 'ca_refused', message: 'No.' } } };
    const sites = [
      site('new', 'failed', MINUTE),
      site('old', 'failed', 99 * MINUTE),
      site('ca', 'verified', MINUTE, failed),
      site('ca', 'verified', MINUTE, failed),
      site('us', 'verified', MINUTE, {
        certificate: { state: 'failed', problem: { reason: 'dns_servers_failing', message: 'No.' } },
      }),
    ];
    const { us, owner, ca } = stuckNames(sites, NOW);
    expect([us, owner, ca].map(idsOf)).toEqual([['us'], ['old', 'new'], ['ca']]);
  });

  it.each([
    ['that were added an hour ago and have no records', site('d', 'verifying', 60 * MINUTE), true],
    ['that were added just now', site('d', 'verifying', 59 * MINUTE), false],
    ['whose records are wrong, at once', site('d', 'verifying', 0, { domain: { verificationError: 'Wrong.' } }), true],
    [
      'whose certificate has been awaited for ten minutes',
      site('d', 'verified', 10 * MINUTE, { certificate: { state: 'wanted' } }),
      true,
    ],
    [
      'whose certificate is about to be ordered',
      site('d', 'verified', MINUTE, { certificate: { state: 'wanted' } }),
      false,
    ],
    ['that are suspended on purpose', site('d', 'verified', 99 * MINUTE, { suspension: { suspendedAt: 0 } }), false],
  ])('those %s: %s', (_, given, isStuck) => {
    expect(Object.values(stuckNames([given], NOW)).flat()).toHaveLength(isStuck ? 1 : 0);
  });
});

it('times are counted by week; what is overdue counts in this one, and what is too far in none', () => {
  const week = 7 * 24 * 60 * MINUTE;
  expect(byWeek([NOW - 1, NOW, NOW + week - 1, NOW + week, NOW + 9 * week], NOW, 3)).toEqual([3, 1, 0]);
});

it('the first sentence of a text does not end in a name', () => {
  const text = 'shop.example.com leads to old.example.com. In the DNS settings, change it.';
  expect(firstSentence(text)).toBe('shop.example.com leads to old.example.com.');
  expect(firstSentence('One sentence.')).toBe('One sentence.');
  expect(firstSentence('一つ目の文です。二つ目の文です。')).toBe('一つ目の文です。');
});
