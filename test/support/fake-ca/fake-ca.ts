import { X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { baseName, isWildcard } from '../../../server/src/domain/wildcard.ts';
import { createAccounts } from './accounts.ts';
import { ENDPOINTS, type Endpoint } from './endpoint.ts';
import { createFaults, type Fault, refuse } from './faults.ts';
import { createNonces, type SignedRequest, verifyRequest } from './jws.ts';
import type { Refused } from './limits.ts';
import {
  createOrders,
  type FakeChallengeType,
  type FakeOrder,
  type OrdersOptions,
  type ProvenCertificate,
} from './orders.ts';
import { AcmeProblem } from './problem.ts';
import { createRenewals, type SuggestedWindow } from './renewals.ts';

/**
 * A CA that speaks ACME over real HTTP, checks what it is sent as a real one does, issues real certificates, and does
 * what real ones only do on bad days. Its clock is passed in, so that years pass as fast as one can ask.
 */
export interface FakeCa {
  directoryUrl: string;
  /** PEM: the roots of its certificates. */
  issuingRoots: string;
  /** The lifetime of certificates, and how many polls its work takes. */
  settings: { lifetimeMs: number; looks: number; retryAfter: string | null };
  /** All certificates, oldest first. */
  certificates: readonly ProvenCertificate[];
  orders(): FakeOrder[];
  /** Revoked certificates, with the reason code that was given. */
  revoked: readonly { hostname: string; reason: unknown }[];
  /** Names that had two open orders at the same time. */
  ordersAtOnce: readonly string[];
  /** The profile of each order that was asked for; null: none. */
  profilesOrdered: readonly unknown[];
  /** Orders beyond a published limit. */
  exceeded: readonly Refused[];
  /** The number of requests for each resource. */
  requests: Record<Endpoint, number>;
  accounts(): { url: string; status: 'valid' | 'revoked' | 'deactivated'; contact: string[] }[];

  /** Adds a fault; the returned function removes it. */
  fault(fault: Fault): () => void;
  /** Rejects the next `count` nonces. */
  refuseNonces(times: number): void;
  /** Fails the authorizations of a name; null: no longer. */
  failAuthorizations(hostname: string, problem: AcmeProblem | null): void;
  /** Refuses orders for the name with the message of Let's Encrypt. */
  pause(hostname: string): void;
  unpause(hostname: string): void;
  /** With all their orders. */
  revokeAccounts(status?: 'revoked' | 'deactivated'): void;
  forgetAccounts(): void;
  forgetOrders(): void;
  /** The renewal window of a certificate, or of all; null: the default. Unix milliseconds. */
  suggest(window: SuggestedWindow | null, hostname?: string): void;
  close(): Promise<void>;
}

export interface FakeCaOptions extends OrdersOptions {
  /** Whether it supports ARI; true by default. */
  ari?: boolean;
  caaIdentities?: string[];
  /** The types of challenge that it offers, of those that it knows; all unless given. */
  offers?: FakeChallengeType[];
  /** Descriptions of its profiles, by name; none unless given. */
  profiles?: Record<string, string>;
  /** Accounts need one of these: secrets (base64url) by `kid`. */
  externalAccounts?: Record<string, string>;
}

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: object | string;
}

export async function startFakeCa(options: FakeCaOptions): Promise<FakeCa> {
  const { clock, ari = true, caaIdentities = [], externalAccounts = null } = options;
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const urlOf = (endpoint: Endpoint, id = '') => `${base}/${endpoint}${id && `/${id}`}`;

  const nonces = createNonces();
  const accounts = createAccounts({ urlOf, externalAccounts });
  const orders = createOrders(options);
  const renewals = createRenewals(orders.certificates, clock);
  const faults = createFaults(clock);
  const settings = Object.assign(orders.settings, { retryAfter: null as string | null });
  const requests = Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint, 0])) as Record<Endpoint, number>;
  const ordersAtOnce: string[] = [];
  const profilesOrdered: unknown[] = [];
  const revoked: { hostname: string; chain: string; reason: unknown }[] = [];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => '');
    const [, name, id = ''] = (request.url ?? '').split('/');
    const endpoint = ENDPOINTS.find((one) => one === name);
    if (endpoint === undefined) return void response.writeHead(404).end();
    requests[endpoint] += 1;
    const fault = faults.take(endpoint);
    if (request.method !== 'GET') response.setHeader('replay-nonce', nonces.create());
    if (fault !== null && !fault.afterwards) return faults.play(fault, response);
    const reply = await answer(endpoint, id, request, body).catch(problemOf);
    if (fault !== null) return faults.play(fault, response);
    if (reply instanceof AcmeProblem) return refuse(response, reply);
    const { status = 200, headers = {}, body: content } = reply;
    const isText = content === undefined || typeof content === 'string';
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(isText ? content : JSON.stringify(content));
  }

  async function answer(endpoint: Endpoint, id: string, request: IncomingMessage, body: string): Promise<Reply> {
    if (endpoint === 'directory') return { body: directory() };
    if (endpoint === 'nonce') return { status: request.method === 'HEAD' ? 200 : 204 };
    if (endpoint === 'renewalInfo') return renewals.answer(id);
    const url = `${base}${request.url}`;
    const contentType = request.headers['content-type'];
    const signed = await verifyRequest({ body, contentType, url }, { nonces, keyOf: accounts.keyOf });
    if (endpoint === 'newAccount') return accounts.register(signed);
    if (endpoint === 'revokeCert') return revoke(signed.signer, signed.payload ?? {});
    if (!('accountUrl' in signed.signer)) throw new AcmeProblem(400, 'malformed', 'only newAccount takes a "jwk"');
    const { accountUrl } = signed.signer;
    if (endpoint === 'account') return accounts.answer(accountUrl, url);
    if (endpoint === 'keyChange') return accounts.changeKey(accountUrl, signed.payload);
    if (endpoint === 'newOrder') return begin(accountUrl, signed.payload ?? {});
    // Challenges of one order have addresses of their own.
    const [orderId = '', type = 'http-01'] = id.split('.') as [string?, FakeChallengeType?];
    const order = orders.orders.get(orderId);
    if (order === undefined) return { status: 404 };
    if (order.accountUrl !== accountUrl) throw new AcmeProblem(403, 'unauthorized', 'the account does not own it');
    return goOn(endpoint, { order, type }, signed.payload, accounts.thumbprintOf(accountUrl));
  }

  function begin(accountUrl: string, payload: Record<string, unknown>): Reply {
    const { identifiers, replaces = null, profile = null } = payload;
    if (profile !== null && options.profiles?.[String(profile)] === undefined)
      throw new AcmeProblem(400, 'invalidProfile', 'there is no such profile');
    profilesOrdered.push(profile);
    const [identifier, ...others] = Array.isArray(identifiers) ? identifiers : [];
    if (identifier?.type !== 'dns' || others.length > 0) throw new AcmeProblem(400, 'malformed', 'one name, please');
    if (replaces !== null && typeof replaces !== 'string') throw new AcmeProblem(400, 'malformed', 'a bad "replaces"');
    const hostname = String(identifier.value);
    const atOnce = [...orders.orders.values()].some((one) => one.hostname === hostname && orders.isOpen(one));
    const order = orders.begin(accountUrl, hostname, replaces);
    if (atOnce) ordersAtOnce.push(hostname);
    return { status: 201, headers: { location: urlOf('order', order.id) }, body: orderBody(order) };
  }

  /** RFC 8555 section 7.6, by the account that ordered the certificate, or by its own key. */
  function revoke(signer: SignedRequest['signer'], { certificate, reason }: Record<string, unknown>): Reply {
    const der = (chain: string) => new X509Certificate(chain).raw.toString('base64url');
    const order = [...orders.orders.values()].find(
      (one) => one.certificate && der(one.certificate.chain) === certificate,
    );
    if (!order?.certificate) throw new AcmeProblem(404, 'malformed', 'no such certificate');
    const { hostname, chain } = order.certificate;
    const { x } = new X509Certificate(chain).publicKey.export({ format: 'jwk' });
    const isAllowed = 'accountUrl' in signer ? signer.accountUrl === order.accountUrl : signer.jwk.x === x;
    if (!isAllowed) throw new AcmeProblem(403, 'unauthorized', 'another account ordered it');
    if (revoked.some((one) => one.chain === chain)) throw new AcmeProblem(400, 'alreadyRevoked', 'it is revoked');
    if (![undefined, 0, 1, 3, 4, 5].includes(reason as number)) throw new AcmeProblem(400, 'badRevocationReason', 'no');
    revoked.push({ hostname, chain, reason });
    return { body: '' };
  }

  async function goOn(
    endpoint: Endpoint,
    { order, type }: { order: FakeOrder; type: FakeChallengeType },
    payload: Record<string, unknown> | null,
    thumbprint: string,
  ): Promise<Reply> {
    const headers = settings.retryAfter === null ? {} : { 'retry-after': settings.retryAfter };
    switch (endpoint) {
      case 'order':
        if (order.status === 'processing') orders.settle(order);
        return { headers, body: orderBody(order) };
      case 'authorization':
        if (order.challenge === 'processing') orders.settle(order);
        return { headers, body: authorizationBody(order) };
      case 'challenge':
        if (payload !== null) await orders.validate(order, `${order.token}.${thumbprint}`, type);
        return { headers, body: challengeBody(order, type) };
      case 'finalize':
        orders.finalize(order, String(payload?.csr));
        return { headers: { ...headers, location: urlOf('order', order.id) }, body: orderBody(order) };
      case 'certificate':
        if (order.certificate === null || order.status !== 'valid') return { status: 404 };
        return { headers: { 'content-type': 'application/pem-certificate-chain' }, body: order.certificate.chain };
      default:
        return { status: 405 };
    }
  }

  function directory(): object {
    return {
      newNonce: urlOf('nonce'),
      newAccount: urlOf('newAccount'),
      newOrder: urlOf('newOrder'),
      revokeCert: urlOf('revokeCert'),
      keyChange: urlOf('keyChange'),
      ...(ari && { renewalInfo: urlOf('renewalInfo') }),
      meta: { caaIdentities, externalAccountRequired: externalAccounts !== null, profiles: options.profiles },
    };
  }

  function orderBody({ id, status, hostname, replaces, error, expiresAt }: FakeOrder): object {
    return {
      status,
      expires: new Date(expiresAt).toISOString(),
      identifiers: [{ type: 'dns', value: hostname }],
      authorizations: [urlOf('authorization', id)],
      finalize: urlOf('finalize', id),
      ...(replaces !== null && { replaces }),
      ...(status === 'valid' && { certificate: urlOf('certificate', id) }),
      ...(status === 'invalid' && error !== null && { error }),
    };
  }

  function authorizationBody(order: FakeOrder): object {
    const status = order.challenge === 'processing' ? 'pending' : order.challenge;
    const wildcard = isWildcard(order.hostname);
    const identifier = { type: 'dns', value: baseName(order.hostname) };
    const types: FakeChallengeType[] = ['dns-01'];
    if (!wildcard) types.push('http-01');
    if (!wildcard && options.fetchTlsChallenge !== undefined) types.push('tls-alpn-01');
    const offered = types.filter((type) => options.offers?.includes(type) ?? true);
    const challenges = offered.map((type) => challengeBody(order, type));
    return { status, identifier, challenges, ...(wildcard && { wildcard }) };
  }

  function challengeBody({ id, type: chosen, challenge, token, error }: FakeOrder, type: FakeChallengeType): object {
    const status = chosen === type ? challenge : 'pending';
    const failed = status === 'invalid' && error !== null;
    const url = urlOf('challenge', `${id}.${type}`);
    return { type, status, url, token, ...(failed && { error }) };
  }

  return {
    directoryUrl: urlOf('directory'),
    issuingRoots: orders.root,
    settings,
    certificates: orders.certificates,
    orders: () => [...orders.orders.values()],
    revoked,
    ordersAtOnce,
    profilesOrdered,
    exceeded: orders.limits.refused,
    requests,
    accounts: accounts.list,
    fault: faults.add,
    refuseNonces: nonces.refuse,
    failAuthorizations: (hostname, problem) =>
      void (problem === null ? orders.failing.delete(hostname) : orders.failing.set(hostname, problem)),
    pause: (hostname) => void orders.paused.add(hostname),
    unpause: (hostname) => void orders.paused.delete(hostname),
    revokeAccounts: (status) => {
      accounts.revoke(status);
      orders.giveUp();
    },
    forgetAccounts: () => {
      accounts.forget();
      orders.orders.clear();
    },
    forgetOrders: () => orders.orders.clear(),
    suggest: renewals.suggest,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function problemOf(error: unknown): AcmeProblem {
  return error instanceof AcmeProblem ? error : new AcmeProblem(500, 'serverInternal', String(error));
}
