/**
 * The name of an operation says whether it reads or creates. `test/api/client.test.ts` checks that the API keeps to it.
 */

/** Whether it changes nothing. */
export function isRead(operation: string): boolean {
  return /\.(get|list|count|check|diagnose)[A-Z]/.test(operation);
}

/** Whether it creates something, and takes an `Idempotency-Key`. */
export function isCreation(operation: string): boolean {
  return /\.create[A-Z]/.test(operation);
}
