import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { connect } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import type { Config, DatabaseUrl, Endpoint } from '../../config/config.ts';
import { serverVariables } from '../../config/variables.ts';
import { dnsClient } from '../../dns/transport/dns-client.ts';
import { networkRule } from '../../net/addresses.ts';
import { isApi, respondsWith } from '../api/api-client.ts';
import { messageOf } from '../cli-error.ts';
import { shortDuration } from '../output/output.ts';
import { type DoctorResult, fail, ok, warn } from './doctor-result.ts';

/** `nameplate doctor` examines the listeners and the clock of this machine. */

interface ExaminedListener {
  key:
    | 'listen'
    | 'metricsListen'
    | 'edgeHttpListen'
    | 'edgeHttpsListen'
    | 'edgeFrontListen'
    | 'edgeHealthListen'
    | 'dnsListen';
  /** The role that listens; null: every process. */
  role: Config['roles'][number] | null;
  /** Whether the program that listens at `host:port` is Nameplate. */
  isNameplate: (address: string, isDatabaseDown: boolean) => Promise<boolean>;
}

const LISTENERS: ExaminedListener[] = [
  { key: 'listen', role: 'api', isNameplate: (address) => isApi(`http://${address}`) },
  {
    key: 'metricsListen',
    role: null,
    isNameplate: (address) => respondsWith(`http://${address}/metrics`, (body) => /^nameplate_/m.test(body)),
  },
  {
    key: 'edgeHttpListen',
    role: 'edge',
    // Proxy-Status (RFC 9209) on the edge's own pages.
    isNameplate: (address) =>
      respondsWith(`http://${address}/`, (_, headers) => headers.get('proxy-status')?.startsWith('nameplate') === true),
  },
  { key: 'edgeHttpsListen', role: 'edge', isNameplate: rejectsNames },
  {
    key: 'edgeFrontListen',
    role: 'edge',
    isNameplate: (address) => respondsWith(`http://${address}/`, (body) => body.includes('/edge/certificate')),
  },
  {
    key: 'edgeHealthListen',
    role: 'edge',
    isNameplate: (address) => respondsWith(`http://${address}/`, (body) => body.includes('Ask /healthz or /readyz.')),
  },
  { key: 'dnsListen', role: 'dns', isNameplate: refusesOtherZones },
];

/** Whether this process can listen where its roles need to. */
export async function examineListeners(config: Partial<Config>, isDatabaseDown: boolean): Promise<DoctorResult[]> {
  const findings: DoctorResult[] = [];
  for (const { key, role, isNameplate: isOurs } of LISTENERS) {
    const isNameplate = (address: string) => isOurs(address, isDatabaseDown);
    if (role !== null && !config.roles?.includes(role)) continue;
    const needsHeader = key === 'edgeHttpListen' || key === 'edgeHttpsListen' ? config.edgeProxyProtocol : undefined;
    for (const endpoint of [config[key] ?? []].flat())
      findings.push(await examineListener(serverVariables[key].name, endpoint, isNameplate, needsHeader));
  }
  return findings;
}

/** `needsHeader`: networks from which connections have to begin with a PROXY header. */
async function examineListener(
  variable: string,
  { host, port }: Endpoint,
  isNameplate: (address: string) => Promise<boolean>,
  needsHeader: readonly string[] = [],
): Promise<DoctorResult> {
  const addressOf = (name: string) => `${name.includes(':') ? `[${name}]` : name}:${port}`;
  const address = addressOf(host);
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return ok('port', `${address} is free (${variable})`);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') {
      const advice = `serve needs the capability CAP_NET_BIND_SERVICE (deploy/nameplate.service grants it). Or set ${variable} to a port above 1023 and forward the public port to it.`;
      return warn('port', `this user may not listen on ${address}`, advice);
    }
    // A listener on all addresses is reached through loopback.
    const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
    if (networkRule(needsHeader)(reached)) {
      const advice = `Nothing to do if serve is running. What listens there cannot be asked from this machine, which ${serverVariables.edgeProxyProtocol.name} contains.`;
      return warn('port', `${address} is in use (${variable})`, advice);
    }
    if (await isNameplate(addressOf(reached))) return ok('port', `Nameplate is already running at ${address}`);
    const advice = `Stop the program that listens there, or set ${variable} to another address.`;
    return fail('port', `cannot listen on ${address} (${messageOf(error)})`, advice);
  } finally {
    server.close();
  }
}

const TIMEOUT_MS = 2000;

/**
 * The edge ends the handshake for an unknown name with the alert unrecognized_name (RFC 6066 section 3). While the
 * database is down it cannot tell, and sends internal_error: whoever stopped the edge then would end the sites too. At
 * any other time that alert is another program's: Caddy sends it for every unknown name.
 */
async function rejectsNames(address: string, isDatabaseDown: boolean): Promise<boolean> {
  const { hostname, port } = new URL(`https://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  // A URL leaves out the port of its scheme.
  const socket = connect({ host, port: Number(port || 443), servername: 'doctor.invalid', rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return false;
  } catch (error) {
    const alert = isDatabaseDown ? /UNRECOGNIZED_NAME|INTERNAL_ERROR/ : /UNRECOGNIZED_NAME/;
    return error instanceof Error && 'code' in error && alert.test(String(error.code));
  } finally {
    socket.destroy();
  }
}

/** Our DNS server refuses names outside of its zones, which a resolver does not. */
async function refusesOtherZones(address: string): Promise<boolean> {
  const { hostname, port } = new URL(`dns://${address}`);
  const server = { address: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
  const client = dnsClient();
  const asking = { recursion: false, over: 'tcp', signal: AbortSignal.timeout(TIMEOUT_MS) } as const;
  const response = await client.query({ name: '.', type: 'NS' }, server, asking).finally(() => client.close());
  return typeof response !== 'string' && response.rcode === 'refused';
}

/** No correct clock is earlier than Nameplate itself, or 30 years later. */
const EARLIEST = Date.UTC(2026, 0, 1);
const LATEST = Date.UTC(2056, 0, 1);
const TOLERANCE_MS = 60_000;
export const SET_CLOCK = 'Set the clock and keep it right with NTP: windows, schedules and certificates depend on it.';

/** Whether the clock is plausible, and not behind the latest write to the store or the database server. */
export async function examineClock(clock: Clock, url: DatabaseUrl | undefined): Promise<DoctorResult[]> {
  const now = clock.now();
  const shown = new Date(now).toISOString();
  if (now < EARLIEST || now > LATEST) return [fail('clock', `it shows ${shown}, which cannot be right`, SET_CLOCK)];
  if (url?.engine === 'postgres') return examineServerClock(clock, url);
  const files = url === undefined ? [] : [url.path, `${url.path}-wal`];
  const writtenAt = Math.max(0, ...files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));
  if (writtenAt > now + TOLERANCE_MS) {
    const found = `it shows ${shown}, but the store was written at ${new Date(writtenAt).toISOString()}`;
    return [fail('clock', found, SET_CLOCK)];
  }
  return [ok('clock', `it shows ${shown}`)];
}

async function examineServerClock(clock: Clock, url: DatabaseUrl & { engine: 'postgres' }): Promise<DoctorResult[]> {
  const { timeOf } = await import('../../store/engine/postgres/server-time.ts');
  const before = clock.now();
  try {
    const server = await timeOf(url);
    // The server read its clock about half-way through the request.
    return [judgeOffset((before + clock.now()) / 2 - server, 'the database')];
  } catch {
    // The finding about the store reports the database's error.
    return [ok('clock', `it shows ${new Date(before).toISOString()}`)];
  }
}

/** Other clocks are read in whole seconds and over a network. */
const NEGLIGIBLE_MS = 5000;

/** `aheadMs`: how far our clock is ahead of that of `other`. */
export function judgeOffset(aheadMs: number, other: string): DoctorResult {
  const offset = Math.abs(aheadMs);
  if (offset <= NEGLIGIBLE_MS) return ok('clock', `it agrees with the clock of ${other}`);
  const found = `it is ${shortDuration(offset)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of ${other}`;
  return offset > TOLERANCE_MS ? fail('clock', found, SET_CLOCK) : warn('clock', found, SET_CLOCK);
}
