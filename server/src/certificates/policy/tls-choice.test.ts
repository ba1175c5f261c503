import { describe, expect, test } from 'vitest';
import type { ChallengeType } from '../../domain/certificate-state.ts';
import type { Blocker } from './blocker.ts';
import { chooseChallenge } from './challenge-choice.ts';

const NO_RECORD: Blocker = { reason: 'no_challenge_record', place: null };
const CLOSED: Blocker = { reason: 'unreachable', answers: [], end: null };
const OTHER: Blocker = { reason: 'answered_by_another', answers: [], end: null };
const PRIVATE: Blocker = { reason: 'address_not_public', answers: [], end: null };
const REFUSED: Blocker = { reason: 'ca_refused', message: 'not offered' };
const facts = { wildcard: false, record: NO_RECORD, refusals: new Map<ChallengeType, Blocker>() };

describe('TLS-ALPN-01', () => {
  test.each([CLOSED, OTHER])('is checked and chosen where HTTP-01 finds $reason', (http) => {
    expect(chooseChallenge({ ...facts, http })).toEqual({ check: 'tls' });
    expect(chooseChallenge({ ...facts, http, tls: null })).toEqual({ challenge: 'tls-alpn-01' });
  });

  test('is not checked where HTTP-01 or DNS-01 can be had, nor at an address that is not public, nor for a wildcard', () => {
    expect(chooseChallenge({ ...facts, http: null })).toEqual({ challenge: 'http-01' });
    expect(chooseChallenge({ ...facts, record: null })).toEqual({ challenge: 'dns-01' });
    expect(chooseChallenge({ ...facts, http: PRIVATE })).toEqual({ blocker: PRIVATE });
    expect(chooseChallenge({ ...facts, wildcard: true, http: CLOSED, tls: null })).toEqual({ blocker: NO_RECORD });
  });

  test('leaves the problem that HTTP-01 has, where it fails too or the CA does not offer it', () => {
    expect(chooseChallenge({ ...facts, http: CLOSED, tls: OTHER })).toEqual({ blocker: CLOSED });
    const refusals = new Map([['tls-alpn-01', REFUSED]] as const);
    expect(chooseChallenge({ ...facts, http: CLOSED, tls: null, refusals })).toEqual({ blocker: CLOSED });
  });
});
