import { availableParallelism, tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { bundledThreads } from './test/support/bundled-threads.ts';
import { memoryDirectory } from './test/support/memory-directory.ts';
import { progressReporter } from './test/support/progress-reporter.ts';

/** Measured on two cores with nothing beside it. */
const DURATION = 'about eight minutes on two cores';

// Of the workers too, and of all that they start.
process.env.TMPDIR = memoryDirectory() ?? tmpdir();

/** Files that use the PostgreSQL server that a run starts. */
const ON_POSTGRES = [
  'src/store/postgres/**/*.test.ts',
  'test/contract/postgres*.test.ts',
  'test/deploy/roles.test.ts',
  'test/e2e/{copy,operations-walk,postgres}.test.ts',
  'test/nodes/**/*.test.ts',
];

// No file changes what another would see (a variable, a timer, a mock), so each worker loads the program once.
const each = { isolate: false, testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    reporters: [progressReporter(DURATION)],
    // Two more than cores: many tests wait.
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        plugins: [bundledThreads()],
        test: {
          ...each,
          name: 'embedded',
          globalSetup: 'test/support/server-bundle.ts',
          include: ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['test/long/**', ...ON_POSTGRES],
        },
      },
      {
        plugins: [bundledThreads()],
        test: {
          ...each,
          name: 'PostgreSQL',
          include: ON_POSTGRES,
          globalSetup: ['test/support/postgres-setup.ts', 'test/support/server-bundle.ts'],
        },
      },
    ],
  },
});
