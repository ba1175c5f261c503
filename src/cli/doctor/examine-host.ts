import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { connect } from 'node:tls';
import type { Clock } from '../../clock.ts';
import type { Config, DatabaseUrl, Endpoint } from '../../config/config.ts';
import { serverVariables } from '../../config/variables.ts';
import { answers, isApi } from '../api-client.ts';
import { span } from '../output.ts';
import { type Finding, messageOf } from './finding.ts';

/** What `nameplate doctor` looks at on this machine: where it can listen, and its clock. */

type ListenerKey = 'listen' | 'metricsListen' | 'edgeHttpListen' | 'edgeHttpsListen' | 'edgeFrontListen';

const LISTENERS: {
  key: ListenerKey;
  role: Config['roles'][number] | null;
  isOurs: (address: string) => Promise<boolean>;
}[] = [
  { key: 'listen', role: 'api', isOurs: (address) => isApi(`http://${address}`) },
  {
    key: 'metricsListen',
    role: null,
    isOurs: (address) => answers(`http://${address}/metrics`, (body) => /^nameplate_/m.test(body)),
  },
  { key: 'edgeHttpListen', role: 'edge', isOurs: (address) => answers(`http://${address}/`, bySelf) },
  { key: 'edgeHttpsListen', role: 'edge', isOurs: refusesUnknownNames },
  {
    key: 'edgeFrontListen',
    role: 'edge',
    isOurs: (address) => answers(`http://${address}/`, (body) => body.includes('/edge/certificate')),
  },
];

/** Whether the addresses can be listened on that the roles of this process want. */
export async function examineListeners(config: Partial<Config>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { key, role, isOurs } of LISTENERS) {
    const endpoint = config[key];
    if (!endpoint || (role !== null && !config.roles?.includes(role))) continue;
    findings.push(await examineListener(serverVariables[key].name, endpoint, isOurs));
  }
  return findings;
}

/** Nameplate itself, running there, is fine: `isOurs` tells. */
async function examineListener(
  variable: string,
  { host, port }: Endpoint,
  isOurs: (address: string) => Promise<boolean>,
): Promise<Finding> {
  const about = 'port';
  const written = (name: string) => `${name.includes(':') ? `[${name}]` : name}:${port}`;
  const address = written(host);
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return { about, level: 'ok', found: `${address} is free (${variable})` };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') {
      const advice = `As another user, or with the capability CAP_NET_BIND_SERVICE (deploy/nameplate.service gives it), serve may. Otherwise set ${variable} to a port above 1023, and lead the world's there.`;
      return { about, level: 'warn', found: `${address} may not be listened on by this user`, advice };
    }
    // Whoever listens on all addresses is asked at one of them.
    if (await isOurs(written(host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)))
      return { about, level: 'ok', found: `${address} is where Nameplate runs already` };
    const advice = `Stop what listens there, or set ${variable} to another address.`;
    return { about, level: 'fail', found: `${address} cannot be listened on (${messageOf(error)})`, advice };
  } finally {
    server.close();
  }
}

const PATIENCE_MS = 2000;

/** The edge says by itself what it says of names that it does not know (RFC 9209). */
function bySelf(_body: string, headers: Headers): boolean {
  return headers.get('proxy-status')?.startsWith('nameplate') === true;
}

/** The edge refuses the handshake for a name that it does not know, in TLS's own words (RFC 6066 section 3). */
async function refusesUnknownNames(address: string): Promise<boolean> {
  const { hostname, port } = new URL(`https://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port), servername: 'doctor.invalid', rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(PATIENCE_MS) });
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && /UNRECOGNIZED_NAME/.test(String(error.code));
  } finally {
    socket.destroy();
  }
}

/** What nobody can see from inside. */
export function reachability({ roles, edgeHttpListen, issuer }: Partial<Config>, cnameZone: string): Finding[] {
  if (!roles?.includes('edge') || !edgeHttpListen || issuer !== 'acme') return [];
  return [
    {
      about: 'reach',
      level: 'ok',
      found: `whether the world reaches the edge cannot be seen from here; try from elsewhere: "curl -i http://doctor.${cnameZone}/" has to be answered with "proxy-status: nameplate"`,
    },
  ];
}

/** Before this day there was no Nameplate; after the other, this release is hardly in use. */
const EARLIEST = Date.UTC(2026, 0, 1);
const LATEST = Date.UTC(2056, 0, 1);
const TOLERANCE_MS = 60_000;
const ADVICE = 'Set the clock, and keep it right with NTP: windows, schedules and certificates follow it.';

/** Whether the clock can be right: its year, and that it is not behind what the store, where one is known, was last written. */
export async function examineClock(clock: Clock, url: DatabaseUrl | undefined): Promise<Finding[]> {
  const about = 'clock';
  const now = clock.now();
  const shown = new Date(now).toISOString();
  if (now < EARLIEST || now > LATEST)
    return [{ about, level: 'fail', found: `it says ${shown}, which cannot be`, advice: ADVICE }];
  if (url?.engine === 'postgres') return examineServerClock(clock, url);
  const files = (url === undefined ? [] : [url.path, `${url.path}-wal`]).map(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  const written = Math.max(0, ...files);
  if (written > now + TOLERANCE_MS) {
    const found = `it says ${shown}, but the store was written at ${new Date(written).toISOString()}`;
    return [{ about, level: 'fail', found, advice: ADVICE }];
  }
  return [{ about, level: 'ok', found: `it says ${shown}` }];
}

async function examineServerClock(clock: Clock, url: DatabaseUrl & { engine: 'postgres' }): Promise<Finding[]> {
  const { timeOf } = await import('../../store/postgres/server-time.ts');
  const before = clock.now();
  try {
    const server = await timeOf(url);
    // The answer was given somewhere in between.
    return [judgeOffset((before + clock.now()) / 2 - server, 'the database')];
  } catch {
    // What is wrong with the database is said of the store.
    return [{ about: 'clock', level: 'ok', found: `it says ${new Date(before).toISOString()}` }];
  }
}

/** Other clocks are told in whole seconds, and on a way that takes some time. */
const NOTHING_MS = 5000;

/** `aheadMs`: how far our clock is ahead of the other one. */
export function judgeOffset(aheadMs: number, than: string): Finding {
  const about = 'clock';
  const off = Math.abs(aheadMs);
  if (off <= NOTHING_MS) return { about, level: 'ok', found: `it agrees with that of ${than}` };
  const found = `it is ${span(off)} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of ${than}`;
  return { about, level: off > TOLERANCE_MS ? 'fail' : 'warn', found, advice: ADVICE };
}
