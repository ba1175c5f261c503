import { createDomain } from './domains/createDomain.ts';
import { getDomain } from './domains/getDomain.ts';
import type { Operation } from './operation.ts';

/** Every operation that needs a key, in the order of the documentation. */
export const operations: readonly Operation[] = [getDomain, createDomain];
