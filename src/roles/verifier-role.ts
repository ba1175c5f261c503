import { GRACE_MS, type Stoppable } from '../net/listen.ts';
import { createVerifier } from '../verification/verifier.ts';
import { openResolver } from './open-resolver.ts';
import type { RoleDeps } from './roles.ts';

/** The background checks of one process. */
export function startVerifier(deps: RoleDeps): Stoppable {
  const { resolver, close } = openResolver(deps);
  const verifier = createVerifier({ ...deps, resolver, random: Math.random });
  verifier.start();
  return { stop: () => verifier.stop(GRACE_MS).finally(close) };
}
