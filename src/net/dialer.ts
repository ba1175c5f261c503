import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as startTls, type TLSSocket } from 'node:tls';
import { domainToASCII } from 'node:url';
import { joinList, quote } from '../domain/text.ts';
import type { AddressRule } from './addresses.ts';

/** Where to connect to. */
export interface Target {
  /**
   * A name or an address, IPv6 with or without brackets; read like the host of a URL, so that `0x7f.1` and `2130706433` are the address
   * that they mean.
   */
  hostname: string;
  port: number;
  /** Ends the attempt, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens connections to what strangers name: origins, and the addresses of customers' names. A name is looked up once, each of its addresses is held
 * against the rule, and the connection goes to the very address that was checked; whatever is looked up afterwards is checked anew. All methods reject with
 * `DialFailed`.
 */
export interface Dialler {
  /** A TCP connection to the first address that accepts it, in the order of the look-up. Nagle's algorithm is off. */
  dial(target: Target): Promise<Socket>;
  /**
   * The same with TLS on top, the handshake within the same time. The name is asked for by SNI and the certificate is checked against it, unless `options`
   * say otherwise.
   */
  dialTls(target: Target, options?: TlsOptions): Promise<TLSSocket>;
}

export type TlsOptions = Omit<ConnectionOptions, 'host' | 'port' | 'path' | 'socket' | 'lookup' | 'timeout'>;

/** All addresses of a name, IPv4 and IPv6; none when it has none. Rejects when that could not be found out. */
export type AddressLookup = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface DiallerOptions {
  /** Tells which addresses may be connected to (`addressRule`). */
  mayDial: AddressRule;
  lookUp: AddressLookup;
  /** Longest time for all of it: look-up, addresses, handshake. */
  timeoutMs?: number;
  /** Longest time for one address, of which the next is tried. */
  addressTimeoutMs?: number;
}

/**
 * `not_allowed`: none of the addresses may be connected to. `no_address`: the name has none. `lookup`: it could not be looked up. `refused`,
 * `unreachable`: what the last address came to. `no_route`: this machine has no way to such an address, as one without IPv6. `timeout`: no answer in time. `tls`: there is somebody, but the handshake failed.
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

/** There is no connection. The message says why in plain words, bounded and safe to show. */
export class DialFailed extends Error {
  override name = 'DialFailed';
  readonly reason: DialFailure;

  constructor(reason: DialFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Addresses of one name that are tried: whoever names more must not keep us busy. */
const MAX_TRIED = 4;

export function createDialler(setup: DiallerOptions): Dialler {
  const { mayDial, lookUp, timeoutMs = 10_000, addressTimeoutMs = 4_000 } = setup;

  /** The addresses that may be connected to; at least one. */
  async function resolve(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const addresses = isIP(host) === 0 ? await untilEnd(lookUpSafely(host, signal), signal) : [host];
    if (addresses.length === 0) throw new DialFailed('no_address', `${quote(host)} has no address.`);
    const allowed = addresses.filter(mayDial);
    if (allowed.length > 0) return allowed;
    const found = addresses.includes(host) ? quote(host) : `${quote(host)} leads to ${joinList([...addresses])}, which`;
    throw new DialFailed('not_allowed', `${found} is not an address on the Internet, and is not connected to.`);
  }

  async function lookUpSafely(host: string, signal: AbortSignal): Promise<readonly string[]> {
    try {
      return await lookUp(host, signal);
    } catch (error) {
      throw new DialFailed('lookup', `The addresses of ${quote(host)} could not be looked up.`, error);
    }
  }

  async function open({ hostname, port }: Target, signal: AbortSignal): Promise<Socket> {
    const host = canonicalHost(hostname);
    const addresses = await resolve(host, signal);
    const failures: DialFailed[] = [];
    for (const address of addresses.slice(0, MAX_TRIED)) {
      try {
        return await within(addressTimeoutMs, signal, (one) => connectTo(address, port, one));
      } catch (error) {
        signal.throwIfAborted();
        failures.push(failureOf(error, address, port));
      }
    }
    throw new DialFailed(failures.at(-1)?.reason ?? 'unreachable', `${joinList(failures.map(bare))}.`);
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

/** The host as URLs read it; what no URL can hold has no address. */
function canonicalHost(hostname: string): string {
  const bracketless = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bracketless) !== 0) return bracketless;
  const host = domainToASCII(hostname);
  if (host === '') throw new DialFailed('no_address', `${quote(hostname)} is not the name of a host.`);
  return host;
}

function connectTo(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  return ready(connect({ host: address, port, noDelay: true }), 'connect', signal);
}

async function handshake(socket: Socket, host: string, options: TlsOptions, signal: AbortSignal): Promise<TLSSocket> {
  const named = isIP(host) === 0 ? { servername: host } : {};
  try {
    return await ready(startTls({ ...named, ...options, host, socket }), 'secureConnect', signal);
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    const code = codeOf(error) ?? 'no handshake';
    throw new DialFailed('tls', `${quote(host)} could not be spoken to over TLS (${code}).`, error);
  }
}

/** The socket, once it is ready; destroyed when it fails or the signal ends first. */
function ready<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      signal.removeEventListener('abort', abort);
      socket.off(event, succeed).off('error', fail).off('close', close);
    };
    const succeed = () => {
      settle();
      resolve(socket);
    };
    const fail = (error: unknown) => {
      settle();
      socket.on('error', () => {}).destroy();
      reject(error);
    };
    const close = () => fail(new Error('The connection was closed.'));
    const abort = () => fail(signal.reason);
    socket.once(event, succeed).once('error', fail).once('close', close);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Runs the work with a signal that ends with the given one, or when the time is over. */
async function within<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const end = () => controller.abort(signal?.reason);
  const expire = () => controller.abort(new DialFailed('timeout', `There was no answer within ${timeoutMs / 1000} s.`));
  const timer = setTimeout(expire, timeoutMs);
  signal?.addEventListener('abort', end, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

function untilEnd<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

function failureOf(error: unknown, address: string, port: number): DialFailed {
  const where = isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
  if (error instanceof DialFailed) return new DialFailed('timeout', `${where} did not answer in time`);
  const code = codeOf(error);
  if (code === 'ETIMEDOUT') return new DialFailed('timeout', `${where} did not answer in time`, error);
  if (code === 'ECONNREFUSED') return new DialFailed('refused', `${where} refused the connection`, error);
  if (NO_ROUTE.includes(code ?? ''))
    return new DialFailed('no_route', `there is no route from here to ${where}`, error);
  return new DialFailed('unreachable', `${where} could not be reached (${code ?? 'closed'})`, error);
}

const NO_ROUTE = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

const bare = ({ message }: DialFailed) => message;

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
