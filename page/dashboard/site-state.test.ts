import { afterEach, describe, expect, it } from 'vitest';
import type { Site } from '../../client/client.ts';
import { setVoice, VOICE } from '../languages/voice.ts';
import { de } from './languages/de.ts';
import { en } from './languages/en.ts';
import { sayBlocker } from './said.ts';
import { siteState } from './site-state.ts';
import { setDashboardTexts } from './text.ts';

setDashboardTexts(en);

const AT = Date.UTC(2026, 10, 20, 12);
const domain = { id: 'dom_1', domain: 'shop.example.com', createdAt: AT, updatedAt: AT + 1, status: 'verified' };
const issued = { state: 'issued', notAfter: AT + 90 * 86_400_000 };
const live = { state: 'live', since: AT, checkedAt: AT, addresses: [], from: 'node' };
const site = (about: object = {}, status = 'verified') =>
  ({ certificate: issued, live, ...about, domain: { ...domain, status } }) as unknown as Site;
const wrong = site();
wrong.domain = { ...wrong.domain, status: 'verifying', verificationError: 'It leads elsewhere.' };
const problem = (reason: string) => ({ certificate: { state: 'failed', problem: { reason, message: reason } } });

describe('the word for a site says what visitors get, and whose turn it is', () => {
  it.each([
    ['visitors reach it', site(), 'live', 'nobody'],
    ['it redirects', site({ redirect: {} }), 'redirects', 'nobody'],
    ['it is suspended', site({ suspension: { suspendedAt: AT } }), 'suspended', 'us'],
    [
      'verified, and another server answers',
      site({ live: { ...live, state: 'unreachable' }, findings: [{ message: 'Wrong.' }] }),
      'unreachable',
      'owner',
    ],
    [
      'one address of two is wrong',
      site({ live: { ...live, state: 'partly_live' }, findings: [{ message: 'Wrong.' }] }),
      'live_in_part',
      'owner',
    ],
    [
      'our edge has the wrong certificate',
      site({ live: { ...live, state: 'unreachable', problem: 'certificate_expired' } }),
      'unreachable',
      'us',
    ],
    ['verified just now', site({ live: undefined }), 'not_looked_at', 'nobody'],
    [
      'its certificate is ordered',
      site({ live: undefined, certificate: { state: 'ordering' } }),
      'waiting_for_certificate',
      'ca',
    ],
    [
      'a CAA record forbids the CA',
      site({ live: undefined, ...problem('caa_forbids') }),
      'certificate_stopped',
      'owner',
    ],
    ['the CA refuses', site({ live: undefined, ...problem('ca_refused') }), 'certificate_stopped', 'ca'],
    ['our DNS servers fail', site({ live: undefined, ...problem('dns_servers_failing') }), 'certificate_stopped', 'us'],
    ['no records yet', site({}, 'verifying'), 'waiting_for_records', 'owner'],
    ['a mistake in its records', wrong, 'records_wrong', 'owner'],
    ['the window has ended', site({}, 'failed'), 'checks_ended', 'owner'],
    ['a certificate before the switch', site({ readyToSwitch: true }, 'verifying'), 'ready_to_switch', 'owner'],
  ] as const)('%s', (_, given, word, turn) => {
    expect(siteState(given)).toMatchObject({ word, turn });
  });

  it('has the sentence of the API about what is wrong', () => {
    const seen = site({ live: { ...live, state: 'unreachable' }, findings: [{ message: 'Another server answers.' }] });
    expect(siteState(seen).problem?.text).toBe('Another server answers.');
  });

  it('says what a look from outside saw where the API has no sentence, and that a site is suspended', () => {
    const addresses = [{ address: '192.0.2.1', problem: 'certificate_expired' }];
    const seen = site({ live: { ...live, state: 'unreachable', problem: 'certificate_expired', addresses } });
    expect(siteState(seen).problem?.text).toBe(
      'Visitors do not reach the site: 192.0.2.1: its certificate has expired.',
    );
    const suspended = site({ suspension: { suspendedAt: AT, status: 451, by: 'operator' } });
    expect(siteState(suspended).problem?.text).toBe(
      'The site is suspended by the operator of the server: visitors get a page with status 451.',
    );
  });
});

describe('in another language', () => {
  const voice = VOICE;
  const speak = () => {
    setVoice({ ...voice, attributes: { lang: 'de', dir: 'ltr' } });
    setDashboardTexts(de);
  };
  afterEach(() => {
    setVoice(voice);
    setDashboardTexts(en);
  });
  const ended = site({}, 'failed');
  ended.domain = { ...ended.domain, verificationError: 'Not verified within 24 h.' };
  const drifted = site();
  drifted.domain = { ...drifted.domain, verificationError: 'It leads elsewhere.' };
  const { sentences } = de.home;

  it.each([
    ['a mistake in the records', wrong, sentences.records_wrong],
    ['the window has ended', ended, sentences.checks_ended],
    ['a verified name that leads elsewhere', drifted, sentences.records_wrong],
    ['no certificate', site({ live: undefined, ...problem('caa_forbids') }), de.moving.reasons.caa_forbids],
  ])('%s has a sentence of the language, not the English one of the API', (_, given, text) => {
    speak();
    expect(siteState(given).problem).toEqual({ text });
  });

  it('a reason of a later release keeps the sentence of the API, as English', () => {
    speak();
    const later = site({ live: undefined, ...problem('new_reason') });
    expect(siteState(later).problem).toEqual({ text: 'new_reason', lang: 'en' });
    expect(sayBlocker('new_reason', 'Something new.')).toEqual({ text: 'Something new.', lang: 'en' });
  });

  it('the reason of a blocker stands alone, and in English the API says more', () => {
    expect(sayBlocker('not_verified', 'It leads elsewhere.')).toEqual({ text: 'It leads elsewhere.', lang: 'en' });
    speak();
    expect(sayBlocker('not_verified', 'It leads elsewhere.')).toBeNull();
  });
});
