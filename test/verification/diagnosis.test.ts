import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { createLog } from '../../server/src/base/log.ts';
import { createSupervisor, type Supervisor } from '../../server/src/base/threads/supervisor.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { ownershipName, ownershipValue } from '../../server/src/domain/records.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { openDiagnoser } from '../../server/src/roles/open-diagnoser.ts';
import type { DiagnosisOutcome } from '../../server/src/verification/observation/diagnoser.ts';
import { aDomain, anApp, anEnvironment, aProject } from '../support/entities.ts';

/** The diagnosis of one process: the real thread, and DNS over real packets. */

const environment = anEnvironment(anApp(aProject({ workspaceId: 'ws_1' })));

let dns: Simulator;
let opened: ReturnType<typeof open>;
let supervisor: Supervisor;
beforeEach(async () => {
  dns = await startSimulator({ port: 0 });
  supervisor = createSupervisor({ log: createLog('silent'), metrics: createMetrics() });
  opened = open();
});
afterEach(async () => {
  await opened.close();
  await dns.close();
});

function open() {
  const resolvers = [{ address: '127.0.0.1', port: dns.port }];
  const config = {
    dnsMode: 'authoritative' as const,
    dnsResolvers: resolvers,
    challengeZone: undefined,
    dnsAllowedNetworks: ['127.0.0.0/8'],
  };
  return openDiagnoser({ config, clock: systemClock, log: createLog('silent'), supervisor, nameserverPort: dns.port });
}

const diagnose = (domain: Domain) => opened.diagnoser.diagnose({ workspaceId: 'ws_1', domain, incumbent: null });

function seenIn(outcome: DiagnosisOutcome) {
  if ('refused' in outcome) throw new Error(`refused: ${outcome.refused}`);
  return outcome.observation;
}

test('a diagnosis looks at both records, twice where they match, and at the names and records around them', async () => {
  const domain = aDomain(environment, { name: 'shop.acme.com', kind: 'subdomain' });
  dns.set('shop.acme.com', 'CNAME', [domain.target]);
  dns.set(`${ownershipName(domain)}.acme.com`, 'TXT', [ownershipValue(domain)]);
  const { ownership, routing, probes = [] } = seenIn(await diagnose(domain));
  const matched = { kind: 'found', chain: [domain.target], values: [] };
  expect(routing).toMatchObject({ name: 'shop.acme.com', zone: { apex: 'acme.com', failure: null } });
  expect(routing.nameservers).toMatchObject([{ server: 'ns1.simulator.test', answers: [matched, matched] }]);
  expect(ownership.nameservers.map(({ answers }) => answers[0].kind)).toEqual(['absent']);
  const doubled = probes.filter(({ purpose, answer }) => purpose === 'doubled' && answer.kind === 'found');
  expect(doubled.map(({ name }) => name)).toEqual(['_service.shop.acme.com.acme.com']);
});

test('the DNS answers of the thread are counted with those of the process', async () => {
  await diagnose(aDomain(environment, { name: 'shop.acme.com', kind: 'subdomain' }));
  const counted = (await supervisor.snapshots()).flat();
  const values = counted.find(({ name }) => name === 'nameplate_dns_answers_total')?.values ?? [];
  expect(values.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(5);
});

test('a name that is not attached is looked at without probes for misplaced records', async () => {
  dns.set('shop.acme.com', 'A', ['192.0.2.1']);
  const request = { workspaceId: 'ws_1', name: 'shop.acme.com', kind: 'subdomain', service: 'service' } as const;
  const { routing, probes = [] } = seenIn(await opened.diagnoser.diagnoseName(request));
  expect(routing.nameservers[0]?.answers[0]).toMatchObject({ kind: 'found', values: ['192.0.2.1'] });
  expect(new Set(probes.map(({ purpose }) => purpose))).toEqual(new Set(['caa']));
});

test('nameservers that are all silent cost a diagnosis 10 s at most, and it shows what it saw', async () => {
  const domain = aDomain(environment, { name: 'shop.acme.com', kind: 'subdomain' });
  for (const name of ['shop.acme.com', ownershipName(domain)]) dns.fail(name, 'timeout');
  const startedAt = performance.now();
  const { routing } = seenIn(await diagnose(domain));
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  expect(routing.nameservers.map(({ answers }) => answers[0])).toMatchObject([{ kind: 'unreadable' }]);
});
