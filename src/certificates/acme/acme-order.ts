import type { KeyObject } from 'node:crypto';
import { CaProblem, type CaProblemKind, ReplacesRefused } from '../issuer.ts';
import { type ChainFault, ChainRefused, readChain } from '../x509/certificate-chain.ts';
import { readPrivateKey } from '../x509/private-key.ts';
import { createRequest } from '../x509/x509-certificate.ts';
import type { AcmeReply } from './acme-client.ts';
import { authorize, whyUnauthorized } from './authorization.ts';
import { Refusal, said } from './problem-document.ts';
import type { Order } from './resources.ts';
import { ask, type Session } from './session.ts';

/** An order at a CA (RFC 8555 section 7.1.6), taken on from whatever state it is in. */

/** What is unreadable may be read another time. */
const KINDS: Record<ChainFault, CaProblemKind> = { unreadable: 'unavailable', wrong: 'refused', expired: 'order_gone' };

/** An order as it was when the CA was asked, and how long the CA wants to be left alone since. */
export interface OrderSeen {
  url: string;
  order: Order;
  retryAfterMs: number | null;
}

/** Begins an order, and has its URL kept before anything else is asked of the CA. Rejects with `CaProblem`, also `ReplacesRefused`. */
export async function beginOrder(session: Session): Promise<OrderSeen> {
  const { client, account, task } = session;
  const { newOrder, renewalInfo } = await client.directory();
  const identifiers = [{ type: 'dns', value: task.hostname }];
  const replaces = renewalInfo === null ? null : task.replaces;
  const body = { identifiers, ...(replaces !== null && { replaces }) };
  const reply = await client.post(account, newOrder, body, task.signal).catch((error: unknown) => {
    // What is wrong may be the certificate that it replaces. Another order counts at the CA, so it is not begun here.
    const mayReplaceNone = replaces !== null && error instanceof Refusal && error.kind === 'refused';
    throw mayReplaceNone ? new ReplacesRefused('refused', error.message, { type: error.type, cause: error }) : error;
  });
  const url = client.read.url(reply.location, 'an order');
  await task.onOrder(url);
  return seen(session, url, reply);
}

/** Rejects with `CaProblem`, of kind `order_gone` where the CA no longer has it. */
export async function findOrder(session: Session, url: string): Promise<OrderSeen> {
  return seen(session, url, await ask(session, url, null));
}

function seen({ client, task }: Session, url: string, { json, retryAfterMs }: AcmeReply): OrderSeen {
  const order = client.read.order(json);
  if (order.hostnames.length !== 1 || order.hostnames[0] !== task.hostname) {
    const message = `${client.host} has an order for another name where that for ${task.hostname} was.`;
    throw new CaProblem('order_gone', message);
  }
  return { url, order, retryAfterMs };
}

/** Takes an order to its end. Rejects with `CaProblem`. */
export async function finishOrder(
  session: Session,
  { url, order, retryAfterMs }: OrderSeen,
): Promise<{ chain: string }> {
  const { task, patience } = session;
  const privateKey = readPrivateKey(task.privateKey);
  let before: Order['status'] | null = null;
  for (;;) {
    if (order.status === before || order.status === 'processing') await patience.wait(retryAfterMs);
    before = order.status;
    await task.alive();
    switch (order.status) {
      case 'pending':
        for (const authorization of order.authorizations) await authorize(session, authorization);
        ({ order, retryAfterMs } = await findOrder(session, url));
        break;
      case 'ready':
        ({ order, retryAfterMs } = await finalize(session, url, order, privateKey));
        break;
      case 'processing':
        ({ order, retryAfterMs } = await findOrder(session, url));
        break;
      case 'valid':
        return download(session, order, privateKey);
      case 'invalid':
        throw await whyInvalid(session, order);
      default:
        return order.status satisfies never;
    }
  }
}

/** Asks for the certificate (section 7.4). */
async function finalize(session: Session, url: string, order: Order, privateKey: KeyObject): Promise<OrderSeen> {
  const csr = createRequest(session.task.hostname, privateKey).toString('base64url');
  try {
    return seen(session, url, await ask(session, order.finalize, { csr }));
  } catch (error) {
    // It may be on its way already, on account of a request whose answer was lost.
    if (error instanceof Refusal && error.is('orderNotReady')) return findOrder(session, url);
    throw error;
  }
}

async function download(session: Session, order: Order, key: KeyObject): Promise<{ chain: string }> {
  const { client, task, clock } = session;
  if (order.certificate === null) {
    throw new CaProblem('unavailable', `${client.host} calls the order done, and names no certificate.`);
  }
  const { text } = await ask(session, order.certificate, null);
  try {
    return { chain: readChain(text, { hostname: task.hostname, key, now: clock.now() }).chain };
  } catch (error) {
    if (!(error instanceof ChainRefused)) throw error;
    const message = `${client.host} issued a certificate that cannot be used: ${error.message}.`;
    throw new CaProblem(KINDS[error.fault], message, { cause: error });
  }
}

/** An order that has failed stays so: either the name was at fault, or another has to be begun. */
async function whyInvalid(session: Session, { authorizations, error }: Order): Promise<CaProblem> {
  const { client } = session;
  for (const url of authorizations) {
    const authorization = client.read.authorization((await ask(session, url, null)).json);
    if (authorization.status === 'invalid') return whyUnauthorized(client.host, authorization);
  }
  if (error !== null) return new CaProblem('refused', said(client.host, error), { type: error.type });
  return new CaProblem('order_gone', `${client.host} has given the order up.`);
}
