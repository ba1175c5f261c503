import { defineConfig } from 'vitest/config';
import { progressReporter } from './test/support/progress-reporter.ts';

export default defineConfig({
  test: {
    globalSetup: 'test/support/server-bundle.ts',
    reporters: [progressReporter('about two hours')],
    include: [
      'test/long/**/*.test.ts',
      'test/edge/{http2Lifetime,cacheKill.system}.test.ts',
      'test/interop/{never-verified,takeovers}.system.test.ts',
      'test/nodes/cold-start.system.test.ts',
      'test/verification/rule.property.test.ts',
    ],
    env: { CHAOS_MS: '60000', CACHE_KILLS: '100', RULE_RUNS: '3000', LAB_SEEDS: '20', OUTAGE_MS: '600000' },
    testTimeout: 30 * 60_000,
    hookTimeout: 5 * 60_000,
    fileParallelism: false,
  },
});
