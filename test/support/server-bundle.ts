import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundlePrograms } from '../../scripts/bundle.ts';

const ROOT = join(import.meta.dirname, '../..');
const NAME = 'server-process-main';

/**
 * The server that tests start as a process (server-process.ts), bundled as the program is: it loads some 300 modules in
 * each of its threads otherwise, and tests start hundreds of servers.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = join(ROOT, `dist.test-${process.pid}-${project.name || 'all'}`);
  await bundlePrograms(ROOT, { [NAME]: join(import.meta.dirname, `${NAME}.ts`) }, directory);
  project.provide('serverProgram', join(directory, `${NAME}.js`));
  return () => rm(directory, { recursive: true, force: true });
}

declare module 'vitest' {
  interface ProvidedContext {
    serverProgram: string;
  }
}
