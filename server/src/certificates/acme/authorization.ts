import { baseName } from '../../domain/wildcard.ts';
import { CaProblem, ChallengeNotOffered } from '../issuer.ts';
import { request, type Session } from './order-session.ts';
import { AcmeError, ERROR_PREFIX, problemMessage } from './problem-document.ts';
import type { Authorization } from './resources.ts';

/** Proof of control over a name (RFC 8555 section 7.5), by the type of challenge that the task names. */

/** Completes an authorization; one that is valid already stays so. Rejects with `CaProblem`. */
export async function authorize(session: Session, url: string): Promise<void> {
  const { client, pollBudget } = session;
  let { authorization, retryAfterMs } = await find(session, url);
  if (authorization.status === 'pending') {
    const response = await respond(session, authorization, retryAfterMs);
    if (response.open) await pollBudget.wait(response.retryAfterMs);
    ({ authorization, retryAfterMs } = await find(session, url));
    while (authorization.status === 'pending') {
      if (response.error !== null) throw response.error;
      await pollBudget.wait(retryAfterMs);
      ({ authorization, retryAfterMs } = await find(session, url));
    }
  }
  if (authorization.status !== 'valid') throw authorizationProblem(client.host, authorization);
}

/** Why an authorization failed. Its order has failed with it. */
export function authorizationProblem(host: string, { hostname, status, error }: Authorization): CaProblem {
  if (status !== 'invalid') return new CaProblem('order_gone', `The authorization at ${host} is ${status}.`);
  if (error === null)
    return new CaProblem('authorization_failed', `${host} did not validate ${hostname}, and gave no reason.`);
  const { type } = error;
  const refused = type === `${ERROR_PREFIX}caa` || type === `${ERROR_PREFIX}rejectedIdentifier`;
  return new CaProblem(refused ? 'refused' : 'authorization_failed', problemMessage(host, error), { type });
}

async function find(session: Session, url: string) {
  const { client, task } = session;
  const { json, retryAfterMs } = await request(session, url, null);
  const authorization = client.read.authorization(json, task.challenge);
  if (authorization.hostname !== baseName(task.hostname)) {
    const message = `${client.host} returned an authorization for another name than ${task.hostname}.`;
    throw new CaProblem('unavailable', message);
  }
  return { authorization, retryAfterMs };
}

interface ChallengeResponse {
  /** The CA has not validated the name yet. */
  open: boolean;
  /**
   * The CA rejected the request to validate; an earlier one may have arrived. The error counts only if the
   * authorization stays pending.
   */
  error: AcmeError | null;
  retryAfterMs: number | null;
}

/** Publishes our challenge response, then has the CA validate it. */
async function respond(
  session: Session,
  { challenge }: Authorization,
  retryAfterMs: number | null,
): Promise<ChallengeResponse> {
  const { client, account, task } = session;
  if (challenge === null) {
    const message = `${client.host} offers no ${task.challenge} challenge for ${task.hostname}.`;
    throw new ChallengeNotOffered('refused', message);
  }
  const { token } = challenge;
  await task.present({ type: task.challenge, token, keyAuthorization: `${token}.${account.thumbprint}` });
  await task.ensureLease();
  // The validation was requested before a crash.
  if (challenge.status !== 'pending') return { open: true, error: null, retryAfterMs };
  try {
    const response = await request(session, challenge.url, {});
    const { status } = client.read.challenge(response.json);
    const open = status === 'pending' || status === 'processing';
    return { open, error: null, retryAfterMs: response.retryAfterMs };
  } catch (error) {
    if (!(error instanceof AcmeError && error.kind === 'refused')) throw error;
    return { open: false, error, retryAfterMs: null };
  }
}
