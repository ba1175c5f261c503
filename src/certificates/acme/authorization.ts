import { CaProblem } from '../issuer.ts';
import { ERROR_PREFIX, Refusal, said } from './problem-document.ts';
import type { Authorization } from './resources.ts';
import { ask, type Session } from './session.ts';

/** Proof of control over a name, by HTTP-01 (RFC 8555 sections 7.5 and 8.3). */

/** An authorization as it was when the CA was asked, and how long the CA wants to be left alone since. */
interface Looked {
  authorization: Authorization;
  retryAfterMs: number | null;
}

/** Resolves when the CA is satisfied, also where it was before. Rejects with `CaProblem`. */
export async function authorize(session: Session, url: string): Promise<void> {
  const { client, patience } = session;
  let { authorization, retryAfterMs } = await look(session, url);
  if (authorization.status === 'pending') {
    const answered = await answer(session, { authorization, retryAfterMs });
    if (answered.open) await patience.wait(answered.retryAfterMs);
    ({ authorization, retryAfterMs } = await look(session, url));
    while (authorization.status === 'pending') {
      if (answered.refusal !== null) throw answered.refusal;
      await patience.wait(retryAfterMs);
      ({ authorization, retryAfterMs } = await look(session, url));
    }
  }
  if (authorization.status !== 'valid') throw whyUnauthorized(client.host, authorization);
}

/** Why an authorization failed. The order that it is part of has failed with it. */
export function whyUnauthorized(host: string, { hostname, status, error }: Authorization): CaProblem {
  if (status !== 'invalid') return new CaProblem('order_gone', `${host} calls the authorization ${status}.`);
  if (error === null)
    return new CaProblem('authorization_failed', `${host} gave no reason for not accepting ${hostname}.`);
  const { type } = error;
  const refused = type === `${ERROR_PREFIX}caa` || type === `${ERROR_PREFIX}rejectedIdentifier`;
  return new CaProblem(refused ? 'refused' : 'authorization_failed', said(host, error), { type });
}

async function look(session: Session, url: string): Promise<Looked> {
  const { client, task } = session;
  const { json, retryAfterMs } = await ask(session, url, null);
  const authorization = client.read.authorization(json);
  if (authorization.hostname !== task.hostname) {
    throw new CaProblem('unavailable', `${client.host} wants another name authorized than ${task.hostname}.`);
  }
  return { authorization, retryAfterMs };
}

/** What became of a challenge when it was answered. */
interface Answered {
  /** The CA is still to look. */
  open: boolean;
  /** It does not want our answer: it may have had it before. That counts only if the authorization stays open. */
  refusal: Refusal | null;
  retryAfterMs: number | null;
}

/** Shows our answer to everybody, then has the CA look. */
async function answer(session: Session, { authorization, retryAfterMs }: Looked): Promise<Answered> {
  const { client, account, task } = session;
  const { challenge } = authorization;
  if (challenge === null) throw new CaProblem('refused', `${client.host} offers no HTTP-01 challenge for the name.`);
  await task.present(challenge.token, `${challenge.token}.${account.thumbprint}`);
  await task.alive();
  // The CA was told before a crash.
  if (challenge.status !== 'pending') return { open: true, refusal: null, retryAfterMs };
  try {
    const reply = await ask(session, challenge.url, {});
    const { status } = client.read.challenge(reply.json);
    const open = status === 'pending' || status === 'processing';
    return { open, refusal: null, retryAfterMs: reply.retryAfterMs };
  } catch (error) {
    if (!(error instanceof Refusal && error.kind === 'refused')) throw error;
    return { open: false, refusal: error, retryAfterMs: null };
  }
}
