import type { Reporter, TestModule, Vitest } from 'vitest/node';

const PROGRESS_INTERVAL_MS = 10_000;

/**
 * Prints how long the whole suite takes (`duration`, for people), what tests print, each failure in full as soon as its
 * file has ended, every ten seconds how far the run is, and as its last line `N passed, N failed, N skipped`, for
 * programs that read the output.
 */
export function progressReporter(duration: string): Reporter {
  let vitest: Vitest;
  let files = 0;
  let ended = 0;
  let startedAt = 0;
  let printedAt = 0;

  function printFailures(module: TestModule): void {
    const { project, relativeModuleId: file } = module;
    for (const error of module.errors()) {
      console.log(`FAILED ${file}`);
      vitest.logger.printError(error, { project });
    }
    for (const suite of module.children.allSuites()) {
      for (const error of suite.errors()) {
        console.log(`FAILED ${file} > ${suite.fullName}`);
        vitest.logger.printError(error, { project });
      }
    }
    for (const test of module.children.allTests('failed')) {
      console.log(`FAILED ${file} > ${test.fullName}`);
      for (const error of test.result().errors ?? []) vitest.logger.printError(error, { project });
    }
  }

  return {
    onInit(created) {
      vitest = created;
    },
    onTestRunStart(specifications) {
      files = specifications.length;
      ended = 0;
      startedAt = printedAt = performance.now();
      console.log(`Running ${files} test files. The whole suite takes ${duration}.`);
    },
    onUserConsoleLog({ type, content }) {
      process[type].write(content);
    },
    onTestModuleEnd(module) {
      ended += 1;
      if (module.state() === 'failed') printFailures(module);
      const now = performance.now();
      if (now - printedAt < PROGRESS_INTERVAL_MS && ended < files) return;
      printedAt = now;
      console.log(`${ended} of ${files} files, ${minutes(now - startedAt)}`);
    },
    onTestRunEnd(modules, unhandledErrors) {
      for (const error of unhandledErrors) vitest.logger.printError(error, { fullStack: true });
      const failed = modules.filter((module) => module.state() === 'failed');
      if (failed.length > 0) console.log(`Failed: ${failed.map((module) => module.relativeModuleId).join(', ')}`);
      console.log(closingLine(modules, unhandledErrors.length));
    },
  };
}

/** A file or a suite that failed outside its tests counts as one failure, and so does an error outside any file. */
function closingLine(modules: readonly TestModule[], unhandledErrors: number): string {
  const count = { passed: 0, failed: unhandledErrors, skipped: 0 };
  for (const module of modules) {
    if (module.errors().length > 0) count.failed += 1;
    for (const suite of module.children.allSuites()) if (suite.errors().length > 0) count.failed += 1;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      count[state === 'pending' ? 'skipped' : state] += 1;
    }
  }
  return `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
}

/** `3:07` */
function minutes(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
