import type { Domain } from '../../server/src/domain/domain.ts';
import { findingsOf } from '../../server/src/domain/findings/findings.ts';
import { readObservation } from '../../server/src/domain/read-observation.ts';
import { NO_MEMORY, transition } from '../../server/src/domain/status.ts';
import type { Harness } from './api-harness.ts';
import { observation, type Seen } from './observations.ts';

/** Completes one check of a domain, as the verifier would after having seen this. What is not given is absent. */
export async function observed(api: Harness, domain: Domain, answers: Seen): Promise<Domain> {
  const now = api.clock.now();
  const before = (await api.store.findDomainById(domain.workspaceId, domain.id)) ?? domain;
  const start = { domain: before, incumbent: null, memory: NO_MEMORY, claimedAt: now };
  const zone = before.name.split('.').slice(-2).join('.');
  const seen = observation(before, zone, answers);
  const findings = findingsOf(start, seen, { edgeAddresses: [], caNames: [], now });
  const next = transition(start, readObservation(start, seen), findings, now);
  const result = { findings, observation: seen };
  await api.store.saveTransition({ before, after: next.after, memory: next.memory, result, now });
  return next.after;
}
