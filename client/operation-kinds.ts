/**
 * The name of an operation says whether it reads, creates or rotates. `test/api/client.test.ts` checks that the API keeps to it.
 */

/** Whether it changes nothing. */
export function isRead(operation: string): boolean {
  return /\.(get|list|count|check|diagnose)[A-Z]/.test(operation);
}

/** Whether it creates something, or replaces a secret by a new one: it takes an `Idempotency-Key`. */
export function takesKey(operation: string): boolean {
  return /\.(create|rotate)[A-Z]/.test(operation);
}
