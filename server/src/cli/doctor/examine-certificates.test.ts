import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CertificateReason } from '../../domain/certificate-state.ts';
import { createKey, createKeyring, parseKeys } from '../../store/sealing/keyring.ts';
import type { CaAccount, Certificate } from '../../store/store.ts';
import { casOf, examineAccount, examineCa, examineExpiry, examineSealing } from './examine-certificates.ts';
import { judgeOffset } from './examine-host.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('the CA', () => {
  let server: Server;
  let answer: { status?: number; body: unknown };
  let directoryUrl: string;
  const clock = { now: () => Date.now() };

  beforeAll(async () => {
    server = createServer((_, response) => {
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    directoryUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/directory`;
  });
  afterAll(() => server.close());

  const directory = (meta: object = {}) => {
    const url = (path: string) => directoryUrl.replace('directory', path);
    return { newNonce: url('nonce'), newAccount: url('account'), newOrder: url('order'), meta };
  };
  const examine = (about = {}, at = clock) => examineCa({ directoryUrl, isBound: false, ...about }, undefined, at);

  test('that responds is ok, with the address of its terms; our clock agrees with its Date', async () => {
    answer = { body: directory({ termsOfService: 'https://ca.test/terms' }) };
    expect(await examine()).toEqual([
      {
        about: 'CA',
        level: 'ok',
        found: expect.stringMatching(/^127\.0\.0\.1:\d+ responds in \d+ ms.*https:\/\/ca\.test\/terms$/),
      },
      { about: 'clock', level: 'ok', found: expect.stringContaining('agrees') },
    ]);
  });

  test('with another Date shows that our clock is wrong', async () => {
    answer = { body: directory() };
    const ahead = { now: () => Date.now() + HOUR_MS };
    expect((await examine({}, ahead))[1]).toMatchObject({
      level: 'fail',
      found: expect.stringContaining('1 h 0 min ahead'),
    });
  });

  test('that requires an external account binding needs one configured', async () => {
    answer = { body: directory({ externalAccountRequired: true }) };
    expect((await examine())[0]).toMatchObject({ level: 'fail', advice: expect.stringContaining('HMAC key') });
    expect((await examine({ isBound: true }))[0]).toMatchObject({ level: 'ok' });
  });

  test('lists its profiles, and fails where the configured one is not among them', async () => {
    answer = { body: directory({ profiles: { classic: 'as ever', shortlived: 'six days' } }) };
    expect((await examine())[0]).toMatchObject({
      level: 'ok',
      found: expect.stringContaining('classic and shortlived'),
    });
    expect((await examine({ profile: 'classic' }))[0]).toMatchObject({ level: 'ok' });
    expect((await examine({ profile: 'longlived' }))[0]).toMatchObject({
      level: 'fail',
      found: expect.stringContaining('has no profile "longlived"'),
      advice: expect.stringContaining('variable of the profile'),
    });
  });

  test.each<[what: string, answer: { status?: number; body: unknown }, says: RegExp]>([
    ['something else', { status: 404, body: 'Not here' }, /status 404, so it is not an ACME directory/],
    ['no directory', { body: [1] }, /a directory that is invalid/],
  ])('that returns %s fails', async (_, given, says) => {
    answer = given;
    expect(await examine()).toEqual([expect.objectContaining({ level: 'fail', found: expect.stringMatching(says) })]);
  });

  test('that is unreachable, or whose trust roots cannot be read, fails with advice', async () => {
    const away = { directoryUrl: 'http://127.0.0.1:1/directory', isBound: false };
    expect(await examineCa(away, undefined, clock)).toEqual([
      expect.objectContaining({
        level: 'fail',
        found: expect.stringContaining('ECONNREFUSED'),
        advice: expect.stringContaining('outgoing HTTPS'),
      }),
    ]);
    expect(await examineCa(away, '/none/ca.pem', clock)).toEqual([
      expect.objectContaining({ level: 'fail', found: expect.stringContaining('NAMEPLATE_ACME_CA_FILE') }),
    ]);
  });

  test('are listed in the configured order, and none with the internal CA', () => {
    const both = {
      issuer: 'acme',
      acmeDirectory: 'https://a.test/d',
      acmeSecondDirectory: 'https://b.test/d',
      acmeSecondEabKid: 'k',
    } as const;
    expect(casOf(both)).toEqual([
      { directoryUrl: 'https://a.test/d', isBound: false },
      { directoryUrl: 'https://b.test/d', isBound: true },
    ]);
    expect(casOf({ ...both, issuer: 'internal' })).toEqual([]);
  });
});

describe('our account', () => {
  const ISSUER = 'https://ca.test/directory';
  const account: CaAccount = {
    issuer: ISSUER,
    url: 'https://ca.test/account/1',
    privateKey: new Uint8Array(),
    certificate: null,
    pausedUntil: null,
    problem: null,
    createdAt: 0,
  };
  const limits = [{ name: 'orders', limit: 300, windowMs: 3 * HOUR_MS } as const];
  const examine = (found: CaAccount | null, orders = 0, exempt = 0, backedUpAt: number | null = null) =>
    examineAccount(
      {
        findCaAccount: async () => found,
        countLedgerEntries: async (issuer, since) => {
          expect([issuer, since]).toEqual([ISSUER, NOW - 3 * HOUR_MS]);
          return { orders, exempt, issued: 0, failed: 2 };
        },
        findLastBackup: async () => backedUpAt,
      },
      ISSUER,
      limits,
      NOW,
    );

  test('is created with the first certificate', async () => {
    expect(await examine(null)).toEqual([
      expect.objectContaining({ level: 'ok', found: expect.stringContaining('no account at ca.test yet') }),
    ]);
  });

  test('that is paused is a warning, with the reason and the time', async () => {
    const [finding] = await examine({
      ...account,
      pausedUntil: NOW + HOUR_MS,
      problem: { reason: 'ca_rate_limited', message: 'Too many orders.', at: NOW },
    });
    expect(finding).toMatchObject({
      level: 'warn',
      found: expect.stringMatching(/^nothing is ordered at ca.test until 2026-11-20 .*: Too many orders\.$/),
    });
    expect((await examine({ ...account, pausedUntil: NOW - 1 }))[0]).toMatchObject({ level: 'ok' });
  });

  test('whose key is newer than the last backup is a warning', async () => {
    const found = expect.stringContaining('newer than the last backup');
    expect((await examine(account, 0, 0, account.createdAt - 1))[0]).toMatchObject({ level: 'warn', found });
    for (const backedUpAt of [null, account.createdAt, NOW])
      expect((await examine(account, 0, 0, backedUpAt))[0]).toMatchObject({ level: 'ok' });
  });

  test('warns when its budget is nearly spent; exempt orders do not count', async () => {
    expect(await examine(account, 239)).toContainEqual({
      about: 'budget',
      level: 'ok',
      found: '239 of 300 orders in the last 3 h 0 min, 2 of them failed',
    });
    expect(await examine(account, 240)).toContainEqual(expect.objectContaining({ about: 'budget', level: 'warn' }));
    expect(await examine(account, 300, 100)).toContainEqual(expect.objectContaining({ about: 'budget', level: 'ok' }));
  });

  test('whose key cannot be decrypted fails', async () => {
    const store = {
      findCaAccount: () => Promise.reject(new Error('it cannot be opened')),
      countLedgerEntries: async () => ({ orders: 0, exempt: 0, issued: 0, failed: 0 }),
      findLastBackup: async () => null,
    };
    expect(await examineAccount(store, ISSUER, limits, NOW)).toEqual([
      expect.objectContaining({ level: 'fail', found: 'it cannot be opened' }),
    ]);
  });
});

describe('sealing', () => {
  const [first, second] = [createKey(), createKey()];
  const ring = (...keys: string[]) =>
    createKeyring({ name: 'the test', keys: () => parseKeys(keys.join(), 'the test') });
  const prefix = (key: string) => ring(key).prefix();
  const clear = new Uint8Array([0x30, 1, 2, 3, 4, 5, 6, 7, 8]);
  const examine = (prefixes: Uint8Array[], ...keys: string[]) =>
    examineSealing({ listSecretPrefixes: async () => prefixes }, ring(...keys), 'KEYS');

  test.each<[what: string, prefixes: Uint8Array[], keys: string[], level: string, says: RegExp]>([
    ['nothing sealed', [], [first], 'ok', /no secrets yet/],
    ['all under the first key', [prefix(first)], [first, second], 'ok', /decrypt every secret/],
    ['some under another key', [prefix(first), prefix(second)], [first, second], 'warn', /under 2 keys of KEYS/],
    ['all under another key', [prefix(second)], [first, second], 'warn', /not the first/],
    ['some as plaintext', [clear, prefix(first)], [first], 'warn', /not encrypted/],
    [
      'some under a key that is not there',
      [prefix(second)],
      [first],
      'fail',
      /under [0-9a-f]{16}, which is not in KEYS/,
    ],
  ])('%s', async (_, prefixes, keys, level, says) => {
    expect(await examine(prefixes, ...keys)).toMatchObject({ level, found: expect.stringMatching(says) });
  });
});

describe('expiry', () => {
  const certificate = (hostname: string, notAfter: number, reason?: CertificateReason): Certificate => ({
    hostname,
    domainId: 'dom_1',
    workspaceId: 'ws_1',
    state: 'issued',
    problem: reason === undefined ? null : { reason, message: '', at: NOW },
    selfCheck: null,
    failures: 0,
    authorizationFailedAt: null,
    challenge: null,
    nextTryAt: NOW,
    leasedUntil: null,
    issued: {
      issuer: 'internal',
      chain: '',
      notBefore: notAfter - 90 * DAY_MS,
      notAfter,
      issuedAt: 0,
      renewal: { source: 'lifetime', startsAt: 0, endsAt: 0, renewAt: 0, askAgainAt: null, explanationUrl: null },
    },
    createdAt: 0,
  });
  const examine = (...found: Certificate[]) => examineExpiry({ listExpiring: async () => found }, NOW);

  test('is ok without certificates, and long before the end of one', async () => {
    expect(await examine()).toMatchObject({ level: 'ok' });
    expect(await examine(certificate('a.test', NOW + 30 * DAY_MS))).toMatchObject({
      level: 'ok',
      found: expect.stringContaining('a.test'),
    });
  });

  test('of a name that its owner pointed elsewhere is ok', async () => {
    expect(await examine(certificate('gone.test', NOW - 1, 'answered_by_another'))).toMatchObject({
      level: 'ok',
      found: 'no certificate in use is for a name that leads here',
    });
  });

  test('that is near, or over, is reported with names and reasons', async () => {
    const soon = certificate('b.test', NOW + 2 * DAY_MS, 'ca_unavailable');
    expect(await examine(soon)).toMatchObject({
      level: 'warn',
      found: expect.stringMatching(/^renewal of 1 certificate .*: b\.test \(ca_unavailable\)$/),
    });
    expect(await examine(certificate('c.test', NOW - 1), soon)).toMatchObject({
      level: 'fail',
      found: expect.stringMatching(/^renewal of 2 certificates .*1 .*expired: c\.test and b\.test/),
    });
  });
});

describe('another clock', () => {
  test.each<[aheadMs: number, level: string, found: RegExp]>([
    [4000, 'ok', /agrees with the clock of X/],
    [-30_000, 'warn', /30 s behind the clock of X/],
    [90_000, 'fail', /1 min 30 s ahead of the clock of X/],
  ])('%d ms off', (aheadMs, level, found) => {
    expect(judgeOffset(aheadMs, 'X')).toMatchObject({ level, found: expect.stringMatching(found) });
  });
});
