import { startCertificates } from './certificates-role.ts';
import { type Deliveries, startDeliveries } from './deliveries-role.ts';
import type { RoleDeps } from './roles.ts';
import { startVerifier } from './verifier-role.ts';

/** Starts the configured roles that serve no requests in this thread: checks and deliveries, and certificates. */
export function startBackground(deps: RoleDeps): Deliveries {
  const { roles } = deps.config;
  const deliveries = roles.includes('verifier') ? startDeliveries(deps) : null;
  const parts = [
    ...(deliveries === null ? [] : [startVerifier(deps), deliveries]),
    ...(roles.includes('certificates') ? [startCertificates(deps)] : []),
  ];
  return { wake: () => deliveries?.wake(), stop: () => Promise.all(parts.map((part) => part.stop())) };
}
