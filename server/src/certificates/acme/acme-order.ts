import type { KeyObject } from 'node:crypto';
import { joinList } from '../../domain/text.ts';
import { CaProblem, type CaProblemKind, ReplacesRefused } from '../issuer.ts';
import { type ChainFault, ChainRefused, readChain, topIssuerOf } from '../x509/certificate-chain.ts';
import { readPrivateKey } from '../x509/private-key.ts';
import { createRequest } from '../x509/x509-certificate.ts';
import type { AcmeResponse } from './acme-client.ts';
import { authorizationProblem, authorize } from './authorization.ts';
import { request, type Session } from './order-session.ts';
import { AcmeError, problemMessage } from './problem-document.ts';
import type { Order } from './resources.ts';

/** An order at a CA (RFC 8555 section 7.1.6), continued from whatever state it is in. */

/** An unreadable chain may be readable next time. */
const KINDS: Record<ChainFault, CaProblemKind> = { unreadable: 'unavailable', wrong: 'refused', expired: 'order_gone' };

/** An order as the CA last returned it. `retryAfterMs`: from then on. */
export interface OrderSnapshot {
  url: string;
  order: Order;
  retryAfterMs: number | null;
}

/** Begins an order, and has its URL saved before the next request. Rejects with `CaProblem`, also `ReplacesRefused`. */
export async function beginOrder(session: Session): Promise<OrderSnapshot> {
  const { client, account, task, profile } = session;
  const { newOrder, renewalInfo, profiles } = await client.directory();
  if (profile !== null && !profiles.includes(profile))
    throw new CaProblem('refused', noProfile(client.host, profile, profiles));
  const identifiers = [{ type: 'dns', value: task.hostname }];
  const replaces = renewalInfo === null ? null : task.replaces;
  const body = { identifiers, ...(replaces !== null && { replaces }), ...(profile !== null && { profile }) };
  const response = await client.post(account, newOrder, body, task.signal).catch((error: unknown) => {
    // The cause may be `replaces`. An order without it counts at the CA, so the caller has to begin it.
    const isAboutReplaces = replaces !== null && error instanceof AcmeError && error.kind === 'refused';
    throw isAboutReplaces ? new ReplacesRefused('refused', error.message, { type: error.type, cause: error }) : error;
  });
  const url = client.read.url(response.location, 'an order');
  await task.onOrder(url);
  return snapshot(session, url, response);
}

/** Says that a CA has not the configured profile, and which it has. */
export function noProfile(host: string, profile: string, profiles: string[]): string {
  const has = profiles.length === 0 ? 'It has none.' : `It has: ${joinList(profiles, profiles.length)}.`;
  return `${host} has no profile "${profile}", which the operator has configured. ${has}`;
}

/** Rejects with `CaProblem`, of kind `order_gone` if the CA no longer has it. */
export async function findOrder(session: Session, url: string): Promise<OrderSnapshot> {
  return snapshot(session, url, await request(session, url, null));
}

function snapshot({ client, task }: Session, url: string, { json, retryAfterMs }: AcmeResponse): OrderSnapshot {
  const order = client.read.order(json);
  if (order.hostnames.length !== 1 || order.hostnames[0] !== task.hostname) {
    throw new CaProblem('order_gone', `${client.host} returned an order for another name than ${task.hostname}.`);
  }
  return { url, order, retryAfterMs };
}

/** Rejects with `CaProblem`. */
export async function finishOrder(session: Session, begun: OrderSnapshot): Promise<{ chain: string }> {
  const privateKey = readPrivateKey(session.task.privateKey);
  let current = begun;
  let previous: Order['status'] | null = null;
  for (;;) {
    const { url, order, retryAfterMs } = current;
    if (order.status === previous || order.status === 'processing') await session.pollBudget.wait(retryAfterMs);
    previous = order.status;
    await session.task.ensureLease();
    switch (order.status) {
      case 'pending':
        for (const authorization of order.authorizations) await authorize(session, authorization);
        current = await findOrder(session, url);
        break;
      case 'ready':
        current = await finalize(session, current, privateKey);
        break;
      case 'processing':
        current = await findOrder(session, url);
        break;
      case 'valid':
        return download(session, order, privateKey);
      case 'invalid':
        throw await orderProblem(session, order);
      default:
        return order.status satisfies never;
    }
  }
}

/** Requests the certificate (section 7.4). */
async function finalize(session: Session, { url, order }: OrderSnapshot, privateKey: KeyObject) {
  const csr = createRequest(session.task.hostname, privateKey).toString('base64url');
  try {
    return snapshot(session, url, await request(session, order.finalize, { csr }));
  } catch (error) {
    // An earlier request, whose response was lost, may have finalized it.
    if (error instanceof AcmeError && error.is('orderNotReady')) return findOrder(session, url);
    throw error;
  }
}

async function download(session: Session, order: Order, key: KeyObject): Promise<{ chain: string }> {
  const { client } = session;
  if (order.certificate === null) {
    throw new CaProblem('unavailable', `${client.host} completed the order without a certificate.`);
  }
  const { text, alternates } = await request(session, order.certificate, null);
  const chain = chainOf(session, text, key);
  return { chain: (await findPreferred(session, chain, alternates, key)) ?? chain };
}

/** The chain that is wanted (RFC 8555 section 7.4.2); null: the default is that, or there is no such chain. */
async function findPreferred(session: Session, chain: string, alternates: string[], key: KeyObject) {
  const { client, task, chain: wanted, log } = session;
  if (wanted === null || topIssuerOf(chain) === wanted) return null;
  for (const url of alternates) {
    try {
      const alternate = chainOf(session, (await request(session, url, null)).text, key);
      if (topIssuerOf(alternate) === wanted) return alternate;
    } catch (error) {
      // The default chain is valid too.
      if (!(error instanceof CaProblem)) throw error;
      log.debug({ domain: task.hostname, ca: client.host }, error.message);
    }
  }
  log.warn({ domain: task.hostname, ca: client.host, wanted }, 'the CA has no such chain; its default is used');
  return null;
}

function chainOf({ client, task, clock }: Session, pem: string, key: KeyObject): string {
  try {
    return readChain(pem, { hostname: task.hostname, key, now: clock.now() }).chain;
  } catch (error) {
    if (!(error instanceof ChainRefused)) throw error;
    const message = `${client.host} issued a certificate that cannot be used: ${error.message}.`;
    throw new CaProblem(KINDS[error.fault], message, { cause: error });
  }
}

/** Why an order is invalid: an authorization failed, the CA refused, or a new order is needed. */
async function orderProblem(session: Session, { authorizations, error }: Order): Promise<CaProblem> {
  const { client, task } = session;
  for (const url of authorizations) {
    const authorization = client.read.authorization((await request(session, url, null)).json, task.challenge);
    if (authorization.status === 'invalid') return authorizationProblem(client.host, authorization);
  }
  if (error !== null) return new CaProblem('refused', problemMessage(client.host, error), { type: error.type });
  return new CaProblem('order_gone', `${client.host} made the order invalid, and gave no reason.`);
}
