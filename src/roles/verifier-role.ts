import { GRACE_MS, type Stoppable } from '../net/listen.ts';
import { createVerifier } from '../verification/verifier.ts';
import { openResolver } from './open-resolver.ts';
import type { Parts } from './roles.ts';

/** The background checks of one process. */
export function startVerifier(parts: Parts): Stoppable {
  const { resolver, close } = openResolver(parts);
  const verifier = createVerifier({ ...parts, resolver, random: Math.random });
  verifier.start();
  return { stop: () => verifier.stop(GRACE_MS).finally(close) };
}
