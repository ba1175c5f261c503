import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one plain line, `N passed, N failed, N skipped`, for programs that read the output. */
export function tally(): Reporter {
  return {
    onTestRunEnd(modules: ReadonlyArray<TestModule>) {
      const count = { passed: 0, failed: 0, skipped: 0 };
      for (const module of modules) {
        if (module.errors().length > 0) count.failed += 1;
        for (const test of module.children.allTests()) {
          const { state } = test.result();
          count[state === 'pending' ? 'skipped' : state] += 1;
        }
      }
      console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
    },
  };
}
