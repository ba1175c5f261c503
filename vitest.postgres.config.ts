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
    maxWorkers: Math.max(2, availableParallelism()),
    include: ['test/api/**/*.test.ts', 'test/verification/**/*.test.ts', 'test/certificates/worker.test.ts'],
    globalSetup: 'test/support/postgres-setup.ts',
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
