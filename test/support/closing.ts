import { afterEach } from 'vitest';

/** Everything that a test has opened, in the order in which it did. */
export type Closing = (() => unknown)[];

/** After each test of the file what it has opened is closed, the newest first. */
export function closingAfterEach(): Closing {
  const closing: Closing = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  return closing;
}
