import type { Domain } from '../../src/domain/domain.ts';
import type { Reading } from '../../src/domain/reading.ts';
import { NO_MEMORY, transition } from '../../src/domain/status.ts';
import type { Harness } from './api-harness.ts';

const ABSENT = { kind: 'absent', reason: 'nodata' } as const;

/** Completes one check of a domain, as the verifier would after having seen this. What is not given is absent. */
export async function observed(api: Harness, domain: Domain, seen: Partial<Reading>): Promise<Domain> {
  const now = api.clock.now();
  const before = (await api.store.findDomainById(domain.workspaceId, domain.id)) ?? domain;
  const memory = NO_MEMORY;
  const next = transition(
    { domain: before, incumbent: null, memory, claimedAt: now },
    { ownership: ABSENT, routing: ABSENT, ...seen },
    now,
  );
  await api.store.saveTransition({ before, after: next.after, memory: next.memory, now });
  return next.after;
}
