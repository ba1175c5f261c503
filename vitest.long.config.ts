import { defineConfig } from 'vitest/config';
import { tally } from './test/support/closing-line.ts';

export default defineConfig({
  test: {
    reporters: ['default', tally()],
    include: ['test/long/**/*.test.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 5 * 60_000,
    fileParallelism: false,
  },
});
