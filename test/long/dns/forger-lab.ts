/**
 * An attack on verification by somebody who is on no path, in three network namespaces: `victim` runs the checks of a source tree, `dns` has the true
 * nameservers and a resolver, and `attacker` has a nameserver of its own and floods the victim with forged responses of the others. Needs root.
 *
 *   node test/long/dns/forger-lab.ts --tree . --variant subdomain --point registry --rtt 60 --seconds 120
 *
 * The attacker knows all that anybody can know: names, questions, addresses, when checks happen, and the ports that its own nameserver sees. It guesses ids.
 * It forges no TCP, which Node cannot send. A forged SYN-ACK has to hit a port (15 bits) and a sequence number (32 bits), and the data after it an id (16 bits):
 * 2^63 packets for one response, of which 2^48 can be sent in ten years at a million a second. One read is then forged with a chance of 1 in 30,000, and a
 * registry is read at two servers.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { FloodPlan } from './forger-flood.ts';
import type { LabServer, ServersPlan } from './forger-servers.ts';
import type { LabDomain, VictimPlan } from './forger-victim.ts';

export const VARIANTS = ['subdomain', 'apex', 'takeover', 'signed'] as const;
export const POINTS = ['registry', 'zone'] as const;

export interface ForgerOptions {
  /** The directory of the sources that are attacked. */
  tree: string;
  /** What is claimed. `takeover`: from an incumbent. `signed`: in a zone that the resolver validates. */
  variant: (typeof VARIANTS)[number];
  /** Whose referral is forged: the registry's to the victim's zone, or that of the zone's nameservers to one below. */
  point: (typeof POINTS)[number];
  rttMs: number;
  seconds: number;
}

export interface ForgerResult {
  /** Seconds until a claim was verified; null: none was. */
  verifiedAfter: number | null;
  checks: number;
  /** Forged, each second. */
  packetsPerSecond: number;
  /** Octets of payload and headers in megabits, each second. */
  /** Packets that the victim's sockets took, and that found them full, each second. */
  takenPerSecond: number;
  droppedPerSecond: number;
}

const VICTIM = '10.7.0.1';
const ATTACKER = '10.8.0.1';
const RESOLVER = '10.9.0.1';
const REGISTRY = { 'a.registry.test': '10.9.0.2', 'b.registry.test': '10.9.0.3' };
const OWNERS = { 'ns1.victim.com': '10.9.0.4', 'ns2.victim.com': '10.9.0.5' };
const WEBSITE = '10.9.0.9';
const CLAIMS = 8;
/** Before the flood, and after it until the processes end by themselves. */
const SPARE_SECONDS = 60;

interface Lab {
  start(namespace: string, script: string, plan: unknown): ChildProcess;
  /** Counters of the victim's kernel for UDP. */
  udpCounters(): Record<string, number>;
  close(): Promise<void>;
}

/** Routes alone decide: the victim's go to the true nameservers, and packets that claim to come from them come from either side. */
function openLab(): Lab {
  const name = (namespace: string) => `np-${process.pid}-${namespace}`;
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });
  const within = (namespace: string, ...args: string[]) =>
    execFileSync('ip', ['netns', 'exec', name(namespace), ...args]);
  const started: ChildProcess[] = [];
  const spaces = ['victim', 'dns', 'attacker'];

  const lab: Lab = {
    start(namespace, script, plan) {
      const child = fork(join(import.meta.dirname, script), [JSON.stringify(plan)], {
        execPath: 'ip',
        execArgv: ['netns', 'exec', name(namespace), process.execPath],
      });
      started.push(child);
      return child;
    },
    udpCounters() {
      const lines = within('victim', 'cat', '/proc/net/snmp').toString().split('\n');
      const [keys = [], values = []] = lines.filter((line) => line.startsWith('Udp:')).map((line) => line.split(' '));
      return Object.fromEntries(keys.map((key, i) => [key, Number(values[i])]));
    },
    async close() {
      for (const child of started) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      for (const space of spaces) {
        try {
          ip('netns', 'del', name(space));
        } catch {
          // It was not made.
        }
      }
    },
  };

  try {
    for (const space of spaces) {
      ip('netns', 'add', name(space));
      within(space, 'ip', 'link', 'set', 'lo', 'up');
      for (const side of ['all', 'default']) within(space, 'sysctl', '-qw', `net.ipv4.conf.${side}.rp_filter=0`);
    }
    const addresses = [RESOLVER, ...Object.values(REGISTRY), ...Object.values(OWNERS)];
    for (const [space, hosts, network, link] of [
      ['dns', addresses, '10.9.0.0/24', '10.0.1'],
      // The same addresses: this is how it forges.
      ['attacker', [ATTACKER, ...addresses], '10.8.0.0/24', '10.0.2'],
    ] as const) {
      ip('link', 'add', space, 'netns', name('victim'), 'type', 'veth', 'peer', 'name', 'uplink', 'netns', name(space));
      within('victim', 'ip', 'addr', 'add', `${link}.1/30`, 'dev', space);
      within(space, 'ip', 'addr', 'add', `${link}.2/30`, 'dev', 'uplink');
      within('victim', 'ip', 'link', 'set', space, 'up');
      within(space, 'ip', 'link', 'set', 'uplink', 'up');
      for (const host of hosts) within(space, 'ip', 'addr', 'add', `${host}/32`, 'dev', 'lo');
      within(space, 'ip', 'route', 'add', VICTIM, 'via', `${link}.1`);
      if (space === 'dns') within('victim', 'ip', 'addr', 'add', `${VICTIM}/32`, 'dev', 'lo');
      within('victim', 'ip', 'route', 'add', network, 'via', `${link}.2`, 'src', VICTIM);
    }
  } catch (error) {
    void lab.close();
    throw error;
  }
  return lab;
}

/** What each process is told. */
function planOf({ tree, variant, point, rttMs, seconds }: ForgerOptions) {
  const kind = variant === 'apex' ? 'apex' : 'subdomain';
  const name = kind === 'apex' ? 'victim.com' : 'www.victim.com';
  const domainOf = (workspace: string, of = name): LabDomain => {
    return { workspace, name: of, kind: of === name ? kind : 'subdomain', target: `${workspace}.cname.nameplate.test` };
  };
  const proofOf = ({ name: of, workspace, target }: LabDomain): LabServer['records'] => [
    [of, 'CNAME', target],
    [`_service.${of}`, 'TXT', `service-domain-verify=${workspace}`],
  ];
  const incumbents = variant === 'takeover' ? [domainOf('ws_owner')] : [];
  const claims = Array.from({ length: CLAIMS }, (_, i) => domainOf(`ws_claim${i}`));
  const own = domainOf('ws_own', 'www.attacker.com');
  const forgedApex = point === 'registry' ? 'victim.com' : kind === 'apex' ? '_service.victim.com' : name;

  const com: LabServer['zones'] = [
    ['com', Object.keys(REGISTRY), 'here'],
    ['victim.com', Object.keys(OWNERS), 'delegated'],
    ['attacker.com', ['ns.attacker.com'], 'delegated'],
  ];
  const glue: LabServer['records'] = [
    ...Object.entries({ ...REGISTRY, ...OWNERS, 'ns.attacker.com': ATTACKER }).map(
      ([server, address]): [string, string, string] => [server, 'A', address],
    ),
  ];
  const victim: LabServer['records'] = [
    ['victim.com', 'A', WEBSITE],
    ...(incumbents.length > 0
      ? incumbents.flatMap(proofOf)
      : kind === 'apex'
        ? []
        : [[name, 'A', WEBSITE] as [string, string, string]]),
  ];
  const truth: LabServer[] = [
    {
      address: RESOLVER,
      rttMs: 0,
      zones: com.map(([apex, servers]) => [apex, servers, 'here']),
      records: [...glue, ...victim, ...proofOf(own)],
    },
    ...Object.values(REGISTRY).map((address): LabServer => ({ address, rttMs, zones: com, records: glue })),
    ...Object.values(OWNERS).map(
      (address): LabServer => ({
        address,
        rttMs,
        zones: [['victim.com', Object.keys(OWNERS), 'here']],
        records: [...glue.slice(2, 4), ...victim],
      }),
    ),
  ];
  if (variant === 'signed' && truth[0] !== undefined) truth[0].signed = 'victim.com';
  const lies: LabServer = {
    address: ATTACKER,
    rttMs: 0,
    zones: [
      ['attacker.com', ['ns.attacker.com'], 'here'],
      [forgedApex, [`ns.${forgedApex}`], 'here'],
    ],
    records: [
      ['ns.attacker.com', 'A', ATTACKER],
      ...proofOf(own),
      [`ns.${forgedApex}`, 'A', ATTACKER],
      // Addresses without a CNAME route too, beside the TXT records, of which there may be several.
      [name, 'A', WEBSITE],
      [`_service.${name}`, 'TXT', ...claims.map(({ workspace }) => `service-domain-verify=${workspace}`)],
    ],
  };

  const life = { seconds: seconds + SPARE_SECONDS };
  return {
    truth: { ...life, servers: truth } satisfies ServersPlan,
    lies: { ...life, servers: [lies] } satisfies ServersPlan,
    victim: {
      ...{ ...life, tree, resolver: RESOLVER, networks: ['10.0.0.0/8'], claims },
      honest: [own, ...incumbents],
      betweenProofsMs: variant === 'takeover' ? 54_500 : 0,
      probe: domainOf('ws_probe', 'probe.attacker.com'),
    } satisfies VictimPlan,
    flood: {
      ...{ ...life, victim: VICTIM, attacker: ATTACKER, forgedApex },
      servers: Object.values(point === 'registry' ? REGISTRY : OWNERS),
      questions:
        point === 'registry'
          ? [['victim.com', 'NS']]
          : [
              [`_service.${name}`, 'SOA'],
              [forgedApex, 'NS'],
            ],
    } satisfies FloodPlan,
  };
}

/** Attacks until a claim is verified or the time is over. Rejects where the lab does not work. */
export async function runForger(options: ForgerOptions): Promise<ForgerResult> {
  const plan = planOf(options);
  const lab = openLab();
  try {
    const ready = async (child: ChildProcess, script: string) => {
      const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
      if (message !== 'ready') throw new Error(`${script} ended: ${message}`);
      return child;
    };
    await ready(lab.start('dns', 'forger-servers.ts', plan.truth), 'the true nameservers');
    const attacker = await ready(lab.start('attacker', 'forger-servers.ts', plan.lies), "the attacker's nameserver");
    const victim = await ready(lab.start('victim', 'forger-victim.ts', plan.victim), 'the victim');
    const flood = lab.start('attacker', 'forger-flood.ts', plan.flood);

    const before = lab.udpCounters();
    const startedAt = performance.now();
    const elapsed = () => (performance.now() - startedAt) / 1000;
    let sent = 0;
    let checks = 0;
    attacker.on('message', ({ port }: { port: number }) => flood.connected && flood.send({ port }));
    flood.on('message', ({ packets }: { packets: number }) => {
      sent += packets;
    });
    const verifiedAfter = await new Promise<number | null>((resolve, reject) => {
      for (const child of [attacker, victim, flood])
        child.on('exit', () => reject(new Error('A process ended early.')));
      victim.on('message', (message: { checks: number } | { verified: string }) => {
        if ('verified' in message) resolve(elapsed());
        else ({ checks } = message);
      });
      victim.send('go');
      setTimeout(resolve, options.seconds * 1000, null);
    });
    const seconds = elapsed();
    const after = lab.udpCounters();
    const rate = (key: string) => Math.round(((after[key] ?? 0) - (before[key] ?? 0)) / seconds);
    const rates = { takenPerSecond: rate('InDatagrams'), droppedPerSecond: rate('RcvbufErrors') };
    return { verifiedAfter, checks, packetsPerSecond: Math.round(sent / seconds), ...rates };
  } finally {
    await lab.close();
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      tree: { type: 'string', default: '.' },
      variant: { type: 'string', default: 'subdomain' },
      point: { type: 'string', default: 'registry' },
      rtt: { type: 'string', default: '60' },
      seconds: { type: 'string', default: '120' },
    },
  });
  const { tree, rtt, seconds } = values;
  const variant = VARIANTS.find((one) => one === values.variant);
  const point = POINTS.find((one) => one === values.point);
  if (variant === undefined) throw new Error(`--variant is one of ${VARIANTS.join(', ')}.`);
  if (point === undefined) throw new Error(`--point is one of ${POINTS.join(', ')}.`);
  console.log(JSON.stringify(await runForger({ tree, variant, point, rttMs: Number(rtt), seconds: Number(seconds) })));
  process.exit();
}
