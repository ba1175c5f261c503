import { GRACE_MS, type Stoppable } from '../net/listen.ts';
import { createVerifier } from '../verification/verifier.ts';
import { countAnswers, openResolver } from './open-resolver.ts';
import { logUnvalidatingResolvers } from './resolver-validation.ts';
import type { RoleDeps } from './roles.ts';

/** The background checks of one process. */
export function startVerifier(deps: RoleDeps): Stoppable {
  const { resolver, close } = openResolver({ ...deps, onAnswer: countAnswers(deps.metrics) });
  const verifier = createVerifier({ ...deps, resolver, random: Math.random });
  verifier.start();
  const validation = logUnvalidatingResolvers(deps);
  return {
    async stop() {
      await Promise.all([verifier.stop(GRACE_MS).finally(close), validation.stop()]);
    },
  };
}
