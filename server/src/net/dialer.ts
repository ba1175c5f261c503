import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as startTls, type TLSSocket } from 'node:tls';
import { domainToASCII } from 'node:url';
import { raceAbort, withTimeLimit } from '../base/time-limit.ts';
import { joinList, quote } from '../domain/text.ts';
import type { AddressRule } from './addresses.ts';

/** Where to connect to. */
export interface Target {
  /**
   * A name or an address, IPv6 with or without brackets. Parsed like the host of a URL: `0x7f.1` and `2130706433` are
   * addresses.
   */
  hostname: string;
  port: number;
  /** Aborts the attempt, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Connects to untrusted hosts: origins, and the addresses of customers' names. It looks a name up once, checks each
 * address against the rule, and connects to the address that it checked, so a second lookup cannot change it (DNS
 * rebinding). All methods reject with `DialError`.
 */
export interface Dialer {
  /** A TCP connection to the first address that accepts it, in the order of the lookup. Nagle's algorithm is off. */
  dial(target: Target): Promise<Socket>;
  /**
   * A TCP connection with TLS, within the same timeout. Sends the name as SNI and verifies the certificate against it,
   * unless `options` say otherwise.
   */
  dialTls(target: Target, options?: DialTlsOptions): Promise<TLSSocket>;
}

export type DialTlsOptions = Omit<ConnectionOptions, 'host' | 'port' | 'path' | 'socket' | 'lookup' | 'timeout'>;

/** All addresses of a name, IPv4 and IPv6; empty when it has none. Rejects when the lookup failed. */
export type AddressLookup = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface DialerOptions {
  /** The addresses that may be connected to (`addressRule`). */
  mayDial: AddressRule;
  lookUp: AddressLookup;
  /** Longest time for lookup, all addresses and handshake together. */
  timeoutMs?: number;
  /** Longest time for one address, before the next is tried. */
  addressTimeoutMs?: number;
}

/**
 * `not_allowed`: no address may be connected to. `no_address`: the name has none. `lookup`: the lookup failed.
 * `refused`, `unreachable`: by the last address. `no_route`: this machine has no route to it, such as no IPv6.
 * `timeout`: no response in time. `tls`: the handshake failed.
 */
export type DialFailure =
  | 'not_allowed'
  | 'no_address'
  | 'lookup'
  | 'refused'
  | 'unreachable'
  | 'no_route'
  | 'timeout'
  | 'tls';

/** The message is a sentence, bounded and safe to show. */
export class DialError extends Error {
  override name = 'DialError';
  readonly reason: DialFailure;

  constructor(reason: DialFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Most addresses tried of one name, so that a name with many cannot keep us busy. */
const MAX_TRIED = 4;

export function createDialer(setup: DialerOptions): Dialer {
  const { timeoutMs = 10_000, addressTimeoutMs = 4_000 } = setup;

  async function open({ hostname, port }: Target, signal: AbortSignal): Promise<Socket> {
    const addresses = await allowedAddresses(hostname, setup, signal);
    const failures: DialError[] = [];
    for (const address of addresses.slice(0, MAX_TRIED)) {
      try {
        return await within(addressTimeoutMs, signal, (one) => connectTo(address, port, one));
      } catch (error) {
        signal.throwIfAborted();
        failures.push(failureOf(error, address, port));
      }
    }
    throw new DialError(failures.at(-1)?.reason ?? 'unreachable', `${joinList(failures.map(bare))}.`);
  }

  return {
    dial: (target) => within(timeoutMs, target.signal, (signal) => open(target, signal)),
    dialTls: (target, options = {}) =>
      within(timeoutMs, target.signal, async (signal) => {
        const socket = await open(target, signal);
        return handshake(socket, canonicalHost(target.hostname), options, signal);
      }),
  };
}

/**
 * The addresses of a host that may be connected to, in the order of the lookup; at least one. The host is parsed as in
 * `Target`. Rejects with `DialError`, or with the reason of the signal.
 */
export async function allowedAddresses(
  hostname: string,
  { mayDial, lookUp }: Pick<DialerOptions, 'mayDial' | 'lookUp'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = canonicalHost(hostname);
  const addresses = isIP(host) === 0 ? await raceAbort(lookUpSafely(host, lookUp, signal), signal) : [host];
  if (addresses.length === 0) throw new DialError('no_address', `${quote(host)} has no address.`);
  const allowed = addresses.filter(mayDial);
  if (allowed.length > 0) return allowed;
  const message = addresses.includes(host)
    ? `${quote(host)} is not a public address, and connections to it are not allowed.`
    : `${quote(host)} leads to ${joinList([...addresses])}. Connections are allowed to public addresses only.`;
  throw new DialError('not_allowed', message);
}

async function lookUpSafely(host: string, lookUp: AddressLookup, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await lookUp(host, signal);
  } catch (error) {
    throw new DialError('lookup', `The addresses of ${quote(host)} could not be looked up.`, error);
  }
}

/** The host as URLs parse it. */
function canonicalHost(hostname: string): string {
  const bracketless = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bracketless) !== 0) return bracketless;
  const host = domainToASCII(hostname);
  if (host === '') throw new DialError('no_address', `${quote(hostname)} is not the name of a host.`);
  return host;
}

function connectTo(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  return ready(connect({ host: address, port, noDelay: true }), 'connect', signal);
}

async function handshake(
  socket: Socket,
  host: string,
  options: DialTlsOptions,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const named = isIP(host) === 0 ? { servername: host } : {};
  try {
    return await ready(startTls({ ...named, ...options, host, socket }), 'secureConnect', signal);
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    const code = codeOf(error) ?? 'no handshake';
    throw new DialError('tls', `${quote(host)} failed the TLS handshake (${code}).`, error);
  }
}

/** The socket, once it is ready; destroyed when it fails or closes, or when the signal aborts first. */
async function ready<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  const closing = new AbortController();
  const close = () => closing.abort(new Error('The connection was closed.'));
  socket.once('close', close);
  try {
    await once(socket, event, { signal: AbortSignal.any([signal, closing.signal]) });
    return socket;
  } catch (error) {
    socket.on('error', () => {}).destroy();
    signal.throwIfAborted();
    throw closing.signal.aborted ? closing.signal.reason : error;
  } finally {
    socket.off('close', close);
  }
}

/** Runs the work with a signal that aborts with the given one, or after the timeout. */
function within<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = () => new DialError('timeout', `There was no answer within ${timeoutMs / 1000} s.`);
  return withTimeLimit(timeoutMs, signal ?? null, work, late);
}

function failureOf(error: unknown, address: string, port: number): DialError {
  const where = isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
  if (error instanceof DialError) return new DialError('timeout', `${where} did not answer in time`);
  const code = codeOf(error);
  if (code === 'ETIMEDOUT') return new DialError('timeout', `${where} did not answer in time`, error);
  if (code === 'ECONNREFUSED') return new DialError('refused', `${where} refused the connection`, error);
  if (NO_ROUTE.includes(code ?? '')) return new DialError('no_route', `there is no route from here to ${where}`, error);
  return new DialError('unreachable', `${where} could not be reached (${code ?? 'closed'})`, error);
}

const NO_ROUTE = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

const bare = ({ message }: DialError) => message;

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
