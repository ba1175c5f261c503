import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DiagnosisData } from '../../../server/src/api/domains/diagnosis-schema.ts';
import type { NameCheck } from '../../../server/src/api/domains/present-name.ts';
import { describeDiagnosis } from '../../../server/src/cli/output/show-diagnosis.ts';
import { authoritativeResolver } from '../../../server/src/dns/authoritative.ts';
import { recursiveResolver } from '../../../server/src/dns/recursive.ts';
import type { Resolver } from '../../../server/src/dns/resolver.ts';
import { dnsClient } from '../../../server/src/dns/transport/dns-client.ts';
import { createDiagnoser } from '../../../server/src/verification/observation/diagnoser.ts';
import { observe } from '../../../server/src/verification/observation/observe.ts';
import { dataOf, type Harness, START, startApi, type Tree } from '../../support/api-harness.ts';

// The API while none of NAMEPLATE_DNS_RESOLVERS answers: the customer has nothing to do.

let api: Harness;
let tree: Tree;
let resolver: Resolver;
const silent = createSocket('udp4');
const refusing = createSocket('udp4', (query, from) => {
  query[2] = 0x81;
  query[3] = 0x85;
  refusing.send(query, from.port, from.address);
});
const client = dnsClient();
const counted: string[] = [];
let names = 0;

beforeAll(async () => {
  for (const socket of [silent, refusing]) await once(socket.bind(0, '127.0.0.1'), 'listening');
  const diagnoser = createDiagnoser({
    clock: { now: () => START },
    async observe({ scope, domain, incumbent }) {
      const depth = scope === 'name' ? scope : 'diagnosis';
      const asking = { depth, signal: AbortSignal.timeout(2000), random: Math.random } as const;
      return observe(resolver, domain, incumbent, asking);
    },
    sharedForMs: 0,
  });
  api = await startApi({ diagnoser });
  tree = await api.createTree();
});
afterAll(async () => {
  await api.close();
  client.close();
  silent.close();
  refusing.close();
});

const BLAME = /registrar|DNS provider|nameservers? of/i;
const FOUND = [
  {
    code: 'resolvers_unreachable',
    severity: 'warning',
    fix: 'There is nothing for you to do: this service looks again by itself.',
  },
];

/** Nobody listens there any more. */
async function closedPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  socket.close();
  await once(socket, 'close');
  return port;
}

describe.each(['authoritative', 'recursive'] as const)('in %s mode', (mode) => {
  test.each<[string, () => Promise<number>]>([
    ['cannot be reached', closedPort],
    ['are silent', async () => silent.address().port],
    ['refuse', async () => refusing.address().port],
  ])('resolvers that %s are not put on the customer, who has nothing to do', async (_, findPort) => {
    const name = `shop${names++}.acme.com`;
    const asking = { client, resolvers: [{ address: '127.0.0.1', port: await findPort() }], triesMs: [100] };
    const clock = { now: Date.now };
    resolver =
      mode === 'recursive'
        ? recursiveResolver({ ...asking, clock })
        : authoritativeResolver({ ...asking, clock, onAnswer: (kind) => counted.push(kind) });
    const where = { project: tree.project, app: tree.app, environment: tree.environment };
    const check = dataOf<NameCheck>(await api.call('domains.checkName', { ...where, domain: name }));
    expect(check.findings).toMatchObject(FOUND);
    expect(JSON.stringify(check.findings)).not.toMatch(BLAME);
    await api.createDomain(tree, name);
    const diagnosis = dataOf<DiagnosisData>(await api.call('domains.diagnoseDomain', { domain: name }));
    expect(diagnosis.findings).toMatchObject(FOUND);
    expect(JSON.stringify(diagnosis.findings)).not.toMatch(BLAME);
    expect(describeDiagnosis(diagnosis, START)).toContain('It could not be looked at.\nZone acme.com.');
    // As it is entered at the provider, though nobody has said which zone holds it.
    expect(diagnosis.records[0]?.nameInZone).toBe(name.replace('.acme.com', ''));
    if (mode === 'authoritative') expect(counted).toContain('no_resolver');
  });
});
