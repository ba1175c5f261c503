import { availableParallelism, tmpdir } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { bundledThreads } from './test/support/bundled-threads.ts';
import { memoryDirectory } from './test/support/memory-directory.ts';
import { progressReporter } from './test/support/progress-reporter.ts';

/** Measured on two cores with nothing beside it. */
const DURATION = 'about two minutes on two cores';

// The workers and all that they start have it too.
process.env.TMPDIR = memoryDirectory() ?? tmpdir();

// The first of three layers: nothing but Node and what `npm ci` installs. The others: vitest.system.config.ts, vitest.long.config.ts.
export default defineConfig({
  plugins: [bundledThreads()],
  test: {
    reporters: [progressReporter(DURATION)],
    include: ['{client,page,playground,server,test,words}/**/*.test.ts'],
    exclude: [...configDefaults.exclude, '**/*.system.test.ts', 'test/long/**'],
    // Two more than cores: many tests wait.
    maxWorkers: availableParallelism() + 2,
    // No file changes what another would see (a variable, a timer, a mock), so each worker loads the program once.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
