import { GRACE_MS, type Running } from '../listen.ts';
import { createVerifier } from '../verification/worker.ts';
import type { Parts } from './parts.ts';
import { openResolver } from './resolver.ts';

/** The background checks of one process. */
export function startVerifier(parts: Parts): Running {
  const { resolver, close } = openResolver(parts);
  const verifier = createVerifier({ ...parts, resolver, random: Math.random });
  verifier.start();
  return { stop: () => verifier.stop(GRACE_MS).finally(close) };
}
