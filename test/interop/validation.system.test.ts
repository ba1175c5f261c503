import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSimulator } from '../../playground/dns/simulator.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { createLog } from '../../server/src/base/log.ts';
import { examineResolvers } from '../../server/src/cli/doctor/examine-dns.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { logUnvalidatingResolvers } from '../../server/src/roles/resolver-validation.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type Internet, startInternet } from './internet.ts';

let internet: Internet;
let validating: string;
let other: string;
beforeAll(async () => {
  internet = await startInternet();
  validating = internet.resolver.address;
  other = (await internet.startResolver({ validates: false })).address;
}, START_LIMIT_MS);
afterAll(() => internet.close());

describe('a resolver that does not validate DNSSEC', () => {
  const settings = {
    cnameZone: 'cname.example.com',
    allowedNetworks: ['127.0.0.0/8'],
    isEdge: false,
    nameserverPort: 53,
  };

  async function examine(...resolvers: { address: string; port: number }[]) {
    const results = await examineResolvers({ ...settings, resolvers, clock: systemClock });
    return results.filter(({ about }) => about === 'DNSSEC');
  }

  test('is a warning of doctor, with advice; one that validates is ok', async () => {
    const { port } = internet;
    expect(await examine({ address: validating, port }, { address: other, port })).toEqual([
      { about: 'DNSSEC', level: 'ok', found: `${validating}:${port} validates` },
      {
        about: 'DNSSEC',
        level: 'warn',
        found: `${other}:${port} does not validate, so it cannot tell a record with an invalid signature from a valid one`,
        advice: expect.stringContaining('Switch validation on there'),
      },
    ]);
  });

  test('says nothing about the clock; one that validates shows that it is years ahead or behind, and nothing where it is right', async () => {
    const { port } = internet;
    const year = 365 * 86_400_000;
    const clockFindings = async (address: string, aheadMs: number) => {
      const clock = { now: () => systemClock.now() + aheadMs };
      const results = await examineResolvers({ ...settings, resolvers: [{ address, port }], clock });
      return results.filter(({ about }) => about === 'clock').map(({ level, found }) => `${level}: ${found}`);
    };
    const shown = (side: string) =>
      new RegExp(`^fail: it shows .*, but ${validating}:${port} accepts a signature that is valid ${side} `);
    expect(await clockFindings(validating, 5 * year)).toEqual([expect.stringMatching(shown('until'))]);
    expect(await clockFindings(validating, -5 * year)).toEqual([expect.stringMatching(shown('from'))]);
    expect(await clockFindings(validating, 0)).toEqual([]);
    expect(await clockFindings(other, 5 * year)).toEqual([]);
  });

  test('is not reported where no signed zone is known: without an answer, and in a closed network', async () => {
    const simulator = await startSimulator({ port: 0 });
    expect(await examine(simulator, { address: '127.53.0.9', port: internet.port })).toEqual([]);
    await simulator.close();
  });

  test('is named in one line of the log at the start of a process that verifies', async () => {
    const linesFor = async (...addresses: string[]) => {
      const logged: { level: number; resolvers: string[]; msg: string }[] = [];
      const log = createLog('debug', { write: (line: string) => void logged.push(JSON.parse(line)) });
      const config = readServerConfig({
        NAMEPLATE_CNAME_ZONE: 'cname.example.com',
        NAMEPLATE_DNS_RESOLVERS: addresses.map((address) => `${address}:${internet.port}`).join(),
      });
      await logUnvalidatingResolvers({ config, log }).done;
      return logged;
    };
    expect(await linesFor(validating)).toEqual([]);
    expect(await linesFor(validating, other)).toMatchObject([
      { level: 40, resolvers: [other], msg: expect.stringContaining('do not validate DNSSEC') },
    ]);
  });
});
