import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { tally } from './test/support/closing-line.ts';

const each = { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    reporters: ['default', tally()],
    // Vitest would leave one core to itself; these tests wait more than they compute.
    maxWorkers: Math.max(2, availableParallelism()),
    projects: [
      {
        test: {
          ...each,
          name: 'embedded',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['test/long/**'],
        },
      },
      {
        // The same once more, on the other engine: whatever speaks of the store and not of how it is made.
        test: {
          ...each,
          name: 'PostgreSQL',
          include: ['test/api/**/*.test.ts', 'test/verification/**/*.test.ts', 'test/certificates/worker.test.ts'],
          globalSetup: 'test/support/postgres.setup.ts',
        },
      },
    ],
  },
});
