import { defineConfig } from 'vitest/config';
import { progressReporter } from './test/support/progress-reporter.ts';

export default defineConfig({
  test: {
    reporters: [progressReporter('several hours')],
    include: ['test/long/**/*.test.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 5 * 60_000,
    fileParallelism: false,
  },
});
