/**
 * An attack on verification from off the path, in three network namespaces: `victim` checks claims with the sources of
 * a tree, `dns` has the true nameservers and a resolver, and `attacker` has a nameserver of its own and floods the
 * victim with forged responses of the true ones. Needs root.
 *
 *   node test/long/dns/forger-lab.ts --tree . --variant subdomain --point registry --rtt 60 --seconds 120
 *
 * The attacker knows all that anybody can know: names, questions, addresses, when checks happen, and the ports that its
 * own nameserver sees. It guesses ids. It forges no TCP, which Node cannot send. On paper: a SYN-ACK has to hit a port
 * (15 bits) and a sequence number (32 bits), and the data behind it an id (16 bits). That are 2^63 packets for one
 * response, of which 2^48 can be sent in ten years at a million a second.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { FloodPlan } from './forger-flood.ts';
import type { LabServer, ServersPlan } from './forger-servers.ts';
import type { LabDomain, VictimPlan } from './forger-victim.ts';

export const VARIANTS = ['subdomain', 'apex', 'takeover', 'signed'] as const;
export const POINTS = ['registry', 'zone'] as const;

export interface ForgerOptions {
  /** Directory of the sources that are attacked. */
  tree: string;
  /** The kind of claim. `takeover`: from an incumbent. `signed`: in a zone that the resolver has validated. */
  variant: (typeof VARIANTS)[number];
  /**
   * Whose referral is forged: the registry's to the victim's zone, or the one of that zone's nameservers to a lower
   * zone.
   */
  point: (typeof POINTS)[number];
  rttMs: number;
  seconds: number;
}

export interface ForgerResult {
  /** Seconds until a claim was verified; null: none was. */
  verifiedAfter: number | null;
  checks: number;
  /** Forged packets each second: sent, read by the victim, and lost because its sockets were full. */
  sent: number;
  read: number;
  lost: number;
}

const VICTIM = '10.7.0.1';
const ATTACKER = '10.8.0.1';
const RESOLVER = '10.9.0.1';
const REGISTRY = ['10.9.0.2', '10.9.0.3'];
const OWNERS = ['10.9.0.4', '10.9.0.5'];
const SITE = '10.9.0.9';
/**
 * Those that one forged response has proven try the second proof at different times. Their TXT records fit into one
 * datagram.
 */
const CLAIMS = { takeover: 24, other: 16 };
/** Between two checks that prove a takeover: the shortest period of the schedule; up to a tenth more, at random. */
const BETWEEN_PROOFS_MS = 54_100;
/** A process ends by itself so long after the attack. */
const SPARE_SECONDS = 60;

/**
 * Routes alone decide: the victim's lead to the true nameservers, while packets with their addresses come from the
 * attacker too.
 */
const SET_UP = `
  addresses="${[RESOLVER, ...REGISTRY, ...OWNERS].join(' ')}"
  for space in victim dns attacker; do
    ip netns add $LAB-$space
    ip -n $LAB-$space link set lo up
    ip netns exec $LAB-$space sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0
  done
  ip -n $LAB-victim addr add ${VICTIM}/32 dev lo
  attach() {
    ip link add $1 netns $LAB-victim type veth peer name uplink netns $LAB-$1
    ip -n $LAB-victim addr add $2.1/30 dev $1
    ip -n $LAB-victim link set $1 up
    ip -n $LAB-victim route add $3 via $2.2 src ${VICTIM} dev $1 onlink
    ip -n $LAB-$1 addr add $2.2/30 dev uplink
    ip -n $LAB-$1 link set uplink up
    ip -n $LAB-$1 route add ${VICTIM} via $2.1
    for address in $4; do ip -n $LAB-$1 addr add $address/32 dev lo; done
  }
  attach dns 10.0.1 10.9.0.0/24 "$addresses"
  attach attacker 10.0.2 ${ATTACKER}/32 "${ATTACKER} $addresses"
`;
/** Those of labs that were killed too. */
const CLEAN_UP = `
  for space in $(ip netns | grep -o '^np-forger-[0-9]*-[a-z]*'); do
    lab=\${space%-*}
    [ "$lab" != "$LAB" ] && [ -d /proc/\${lab##*-} ] || ip netns del $space
  done
`;

function openLab(tree: string) {
  const env = { ...process.env, LAB: `np-forger-${process.pid}` };
  const shell = (script: string) => execFileSync('sh', ['-ec', script], { env }).toString();
  const directory = mkdtempSync(join(tmpdir(), 'nameplate-forger-'));
  const started: ChildProcess[] = [];
  // Beside the sources of the tree, for its imports; an older tree has them all in src/.
  mkdirSync(join(directory, 'test/long/dns'), { recursive: true });
  for (const shared of ['src', 'server', 'package.json'])
    if (existsSync(join(tree, shared))) symlinkSync(resolve(tree, shared), join(directory, shared));
  const victim = join(directory, 'test/long/dns/forger-victim.ts');
  const text = readFileSync(join(import.meta.dirname, 'forger-victim.ts'), 'utf8');
  writeFileSync(
    victim,
    existsSync(join(tree, 'server')) ? text : text.replace(/server\/src\/(base\/|(store\/)engine\/)?/g, 'src/$2'),
  );
  shell(CLEAN_UP + SET_UP);

  return {
    start(space: string, script: string, plan: unknown): ChildProcess {
      const execArgv = ['netns', 'exec', `${env.LAB}-${space}`, process.execPath];
      const path = space === 'victim' ? victim : join(import.meta.dirname, script);
      const child = fork(path, [JSON.stringify(plan)], { execPath: 'ip', execArgv });
      started.push(child);
      return child;
    },
    /** Datagrams so far, by the victim's kernel. */
    udpCounters(): Record<string, number> {
      const lines = shell('ip netns exec $LAB-victim grep Udp: /proc/net/snmp').split('\n');
      const [names = [], values = []] = lines.map((line) => line.split(' '));
      return Object.fromEntries(names.map((name, i) => [name, Number(values[i])]));
    },
    async close(): Promise<void> {
      const running = started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
      await Promise.all(running.map((child) => child.kill('SIGKILL') && once(child, 'exit')));
      shell(CLEAN_UP);
      rmSync(directory, { recursive: true });
    },
  };
}

/** The settings that each process gets. */
function planOf({ variant, point, rttMs, seconds: attackSeconds }: ForgerOptions) {
  const seconds = attackSeconds + SPARE_SECONDS;
  const name = variant === 'apex' ? 'victim.com' : 'www.victim.com';
  const own: LabDomain = { workspace: 'ws_own', name: 'www.attacker.com' };
  const incumbents: LabDomain[] = variant === 'takeover' ? [{ workspace: 'ws_owner', name }] : [];
  const claims = Array.from(
    { length: variant === 'takeover' ? CLAIMS.takeover : CLAIMS.other },
    (_, i): LabDomain => ({ workspace: `ws_claim${i}`, name }),
  );
  const recordsOf = ({ workspace, name: of }: LabDomain) => [
    `${of} CNAME ${workspace}.cname.nameplate.test`,
    `_service.${of} TXT service-domain-verify=${workspace}`,
  ];

  const addresses = [
    ...REGISTRY.map((address, i) => `ns${i + 1}.registry.test A ${address}`),
    ...OWNERS.map((address, i) => `ns${i + 1}.victim.com A ${address}`),
    `ns.attacker.com A ${ATTACKER}`,
  ];
  const registry = [
    ...['com here ns1.registry.test ns2.registry.test', 'victim.com delegated ns1.victim.com ns2.victim.com'],
    ...['attacker.com delegated ns.attacker.com', ...addresses],
  ];
  const site = incumbents.length > 0 ? incumbents.flatMap(recordsOf) : [`${name} A ${SITE}`];
  const zone = ['victim.com here ns1.victim.com ns2.victim.com', ...addresses, ...site];
  const resolver: LabServer = { address: RESOLVER, rttMs: 0, lines: [...registry, ...zone, ...recordsOf(own)] };
  const truth: LabServer[] = [
    variant === 'signed' ? { ...resolver, signed: 'victim.com' } : resolver,
    ...REGISTRY.map((address) => ({ address, rttMs, lines: registry })),
    ...OWNERS.map((address) => ({ address, rttMs, lines: zone })),
  ];

  const below = variant === 'apex' ? '_service.victim.com' : name;
  const forgedApex = point === 'registry' ? 'victim.com' : below;
  const lies = [
    ...['attacker.com here ns.attacker.com', `ns.attacker.com A ${ATTACKER}`, ...recordsOf(own)],
    ...[`${forgedApex} here ns.${forgedApex}`, `ns.${forgedApex} A ${ATTACKER}`],
    // An address without a CNAME routes as well, and leaves all claims to the TXT records.
    `${name} A ${SITE}`,
    `_service.${name} TXT ${claims.map(({ workspace }) => `service-domain-verify=${workspace}`).join(' ')}`,
  ];
  const questions: Record<typeof point, FloodPlan['questions']> = {
    registry: [{ name: 'victim.com', type: 'NS' }],
    zone: [
      { name: `_service.${name}`, type: 'SOA' },
      { name: below, type: 'NS' },
    ],
  };
  return {
    truth: { seconds, servers: truth } satisfies ServersPlan,
    lies: { seconds, servers: [{ address: ATTACKER, rttMs: 0, lines: lies }] } satisfies ServersPlan,
    victim: {
      ...{ seconds, resolver: RESOLVER, networks: ['10.0.0.0/8'], honest: [own, ...incumbents] },
      claims: [...claims, ...['ws_port1', 'ws_port2'].map((workspace) => ({ workspace, name: 'ports.attacker.com' }))],
      betweenProofsMs: variant === 'takeover' ? BETWEEN_PROOFS_MS : 0,
    } satisfies VictimPlan,
    flood: {
      ...{ seconds, victim: VICTIM, attacker: ATTACKER, forgedApex },
      servers: point === 'registry' ? REGISTRY : OWNERS,
      questions: questions[point],
    } satisfies FloodPlan,
  };
}

/** Attacks until a claim is verified or the time is over. Rejects where the lab does not work. */
export async function runForger(options: ForgerOptions): Promise<ForgerResult> {
  const plan = planOf(options);
  const lab = openLab(options.tree);
  const startReady = async (space: string, script: string, its: unknown) => {
    const child = lab.start(space, script, its);
    const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (message !== 'ready') throw new Error(`${script} in ${space} ended: ${message}`);
    return child;
  };
  try {
    await startReady('dns', 'forger-servers.ts', plan.truth);
    const attacker = await startReady('attacker', 'forger-servers.ts', plan.lies);
    const victim = await startReady('victim', 'forger-victim.ts', plan.victim);
    const flood = lab.start('attacker', 'forger-flood.ts', plan.flood);
    const counted = { packets: 0, checks: 0 };
    attacker.on('message', (seen: { port: number }) => flood.connected && flood.send(seen));
    flood.on('message', ({ packets }: { packets: number }) => {
      counted.packets += packets;
    });

    const before = lab.udpCounters();
    const startedAt = performance.now();
    const verified = await new Promise<boolean>((settle, reject) => {
      for (const child of [attacker, victim, flood])
        child.on('exit', () => reject(new Error('A process ended early.')));
      victim.on('message', ({ checks }: { checks?: number; verified?: string }) => {
        if (checks === undefined) settle(true);
        else counted.checks = checks;
      });
      victim.send('go');
      setTimeout(settle, options.seconds * 1000, false);
    });
    const seconds = (performance.now() - startedAt) / 1000;
    const after = lab.udpCounters();
    const rate = (name: string) => Math.round(((after[name] ?? 0) - (before[name] ?? 0)) / seconds);
    return {
      verifiedAfter: verified ? Math.round(seconds) : null,
      ...{ checks: counted.checks, sent: Math.round(counted.packets / seconds) },
      ...{ read: rate('InDatagrams'), lost: rate('RcvbufErrors') },
    };
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
  const variant = VARIANTS.find((one) => one === values.variant);
  const point = POINTS.find((one) => one === values.point);
  if (variant === undefined || point === undefined)
    throw new Error(`Use one of ${[...VARIANTS, ...POINTS].join(', ')}.`);
  const trial = { variant, point, rttMs: Number(values.rtt), seconds: Number(values.seconds) };
  console.log(JSON.stringify({ ...trial, ...(await runForger({ ...trial, tree: values.tree })) }));
  process.exit();
}
