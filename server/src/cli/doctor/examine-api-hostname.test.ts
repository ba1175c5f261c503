import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../../playground/dns/simulator.ts';
import type { Certificate } from '../../store/store.ts';
import { examineApiHostname } from './examine-edge.ts';

const NAME = 'api.example.net';

let dns: Simulator;
beforeAll(async () => {
  dns = await startSimulator({ port: 0 });
});
afterAll(() => dns.close());

async function examine(certificate: Partial<Certificate> | null = null, edgeAddresses: string[] = []) {
  const resolvers = [{ address: dns.address, port: dns.port }];
  const store = { findCertificate: async () => certificate as Certificate | null };
  const findings = await examineApiHostname({ hostname: NAME, edgeAddresses, resolvers, store });
  return findings.map(({ level, found }) => `${level}: ${found}`);
}

it('a name without an address fails; one that leads elsewhere is warned of', async () => {
  expect((await examine())[0]).toBe(`fail: ${NAME} has no address`);
  dns.set(NAME, 'A', ['192.0.2.1']);
  expect((await examine())[0]).toBe(`ok: ${NAME} leads to 192.0.2.1`);
  expect((await examine(null, ['192.0.2.1']))[0]).toBe(`ok: ${NAME} leads to 192.0.2.1`);
  expect((await examine(null, ['192.0.2.2']))[0]).toMatch(/^warn: .*192\.0\.2\.1, which NAMEPLATE_EDGE_ADDRESSES/);
});

it('reports whether it has a certificate, and the blocker', async () => {
  expect((await examine())[1]).toBe(`ok: the certificate of ${NAME} is ordered at the first start`);
  expect((await examine({ issued: {} as never }))[1]).toBe(`ok: ${NAME} has a certificate`);
  const problem = { reason: 'unreachable', message: 'Nothing answers.', at: 0 } as const;
  const found = (await examine({ issued: null, state: 'waiting_for_routing', problem }))[1];
  expect(found).toBe(`warn: ${NAME} has no certificate yet (waiting_for_routing): Nothing answers.`);
});
