import { defineConfig } from 'vitest/config';
import { tally } from './test/tally.ts';

export default defineConfig({
  test: {
    reporters: ['default', tally()],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/long/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
