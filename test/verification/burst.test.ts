import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import type { Store } from '../../server/src/store/store.ts';
import { createVerifier } from '../../server/src/verification/verifier.ts';
import { openEngine } from '../support/engine.ts';
import { attach, NOW, plant } from '../support/entities.ts';
import { fixedAnswers } from '../support/fixed-answers.ts';
import { NXDOMAIN } from '../support/observations.ts';

let store: Store;
let remove: () => Promise<void>;
beforeEach(async () => {
  ({ store, remove } = await openEngine());
});
afterEach(async () => {
  await store.close();
  await remove();
});

test('of a burst of results, at most 100 are saved at a time, and none is lost', async () => {
  const DOMAINS = 250;
  const { environment } = await plant(store);
  const domains = await Promise.all(Array.from({ length: DOMAINS }, () => attach(store, environment)));
  const resolver = fixedAnswers(() => NXDOMAIN);
  let [saving, most] = [0, 0];
  // The first are held back until as many wait as may.
  const full = Promise.withResolvers<void>();
  const counting: Store = {
    ...store,
    async saveTransition(save) {
      most = Math.max(most, ++saving);
      if (saving === 100) full.resolve();
      await full.promise;
      return store.saveTransition(save).finally(() => saving--);
    },
  };
  const parts = {
    clock: { now: () => NOW, isTrusted: () => true },
    random: Math.random,
    log: createLog('silent'),
    metrics: createMetrics(),
  };
  expect(await createVerifier({ ...parts, store: counting, resolver }).runOnce()).toBe(DOMAINS);
  expect(most).toBe(100);
  const found = await Promise.all(domains.map(({ id, workspaceId }) => store.findDomainById(workspaceId, id)));
  expect(found.every((domain) => domain?.status === 'verifying')).toBe(true);
});
