import { availableParallelism, tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { bundledThreads } from './test/support/bundled-threads.ts';
import { memoryDirectory } from './test/support/memory-directory.ts';
import { progressReporter } from './test/support/progress-reporter.ts';

/** Measured on two cores with nothing beside it. */
const DURATION = 'about ten minutes on two cores';

// The workers and all that they start have it too.
process.env.TMPDIR = memoryDirectory() ?? tmpdir();

/** Files that use the PostgreSQL server that a run starts. */
const ON_POSTGRES = [
  'server/src/store/engine/postgres/**/*.system.test.ts',
  'test/store/postgres*.system.test.ts',
  'test/dashboard/{journey,tickets}.system.test.ts',
  'test/deploy/roles.system.test.ts',
  'test/e2e/{copy,operations-walk,postgres}.system.test.ts',
  'test/nodes/**/*.system.test.ts',
];

/** Files of `npm test` that try the program and not one engine: here on PostgreSQL. */
const AGAIN_ON_POSTGRES = [
  'test/{api,doors,verification,webhooks}/**/!(*.system).test.ts',
  'test/certificates/worker.test.ts',
];

// No file changes what another would see (a variable, a timer, a mock), so each worker loads the program once.
// The limits end what hangs: simulated days on a busy machine take more than a minute.
const each = { isolate: false, testTimeout: 180_000, hookTimeout: 180_000 };

// The second of three layers: Linux, root, and programs that it fetches with apt.
export default defineConfig({
  test: {
    reporters: [progressReporter(DURATION)],
    // One more than cores: many tests wait, and browsers do not.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        plugins: [bundledThreads()],
        test: {
          ...each,
          name: 'embedded',
          globalSetup: 'test/support/server-bundle.ts',
          include: ['{client,page,playground,server,test,words}/**/*.system.test.ts'],
          exclude: ON_POSTGRES,
        },
      },
      {
        plugins: [bundledThreads()],
        test: {
          ...each,
          name: 'PostgreSQL',
          globalSetup: ['test/support/postgres-setup.ts', 'test/support/server-bundle.ts'],
          include: [...ON_POSTGRES, ...AGAIN_ON_POSTGRES],
          // The order of checks is that of the embedded engine; looks have no store.
          exclude: ['test/verification/{rule.property,look-outside}.test.ts'],
        },
      },
    ],
  },
});
