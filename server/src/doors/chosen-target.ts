import { type CallOperation, dataOf } from './door.ts';

/** Refusals that mean: no shared target for this caller. */
const NONE = ['authorization/insufficient_permissions', 'request/route_not_found'];

/** The shared target that new domains of a door get: the only one of the workspace, if the key may use it. */
export async function sharedTargetOf(call: CallOperation): Promise<{ target?: string }> {
  const called = await call('targets.listTargets', {});
  if (!called.ok && NONE.includes(called.problem.code)) return {};
  const [first, ...others]: { host: string }[] = await dataOf(Promise.resolve(called));
  return first === undefined || others.length > 0 ? {} : { target: first.host };
}
