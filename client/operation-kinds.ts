/** What an operation does, by its name: the API holds to it (`test/api/client.test.ts`). */

/** It changes nothing. */
export function isRead(operation: string): boolean {
  return /\.(get|list|check|diagnose)[A-Z]/.test(operation);
}

/** It creates something, and takes an `Idempotency-Key`. */
export function isCreation(operation: string): boolean {
  return /\.create[A-Z]/.test(operation);
}
