import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { progressReporter } from './test/support/progress-reporter.ts';

/** Measured on two cores with nothing beside it. */
const DURATION = 'about a minute on two cores';

// What tests the program and not one engine, on PostgreSQL; `npm test` runs it on SQLite.
export default defineConfig({
  test: {
    name: 'PostgreSQL',
    reporters: [progressReporter(DURATION)],
    maxWorkers: availableParallelism() + 1,
    // The property of the rule is tried on one engine: the order of its checks is that of the embedded one.
    exclude: ['test/verification/rule.property.test.ts'],
    include: [
      'test/api/**/*.test.ts',
      'test/verification/**/*.test.ts',
      'test/webhooks/**/*.test.ts',
      'test/certificates/worker.test.ts',
    ],
    globalSetup: 'test/support/postgres-setup.ts',
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
