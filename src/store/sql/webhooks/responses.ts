import { sql } from 'kysely';
import type { Tables, Transaction } from '../statement.ts';

/** The newest responses of a webhook whose bodies are kept: 6 MiB at most. */
export const RESPONSES_KEPT = 100;

/** Deletes the bodies of older responses of these webhooks. */
export async function dropOldResponses(tx: Transaction, webhookIds: readonly string[]): Promise<void> {
  for (const webhookId of webhookIds) await tx.execute(clearOldResponses, { webhookId });
}

/** SQLite wants a limit with an offset. */
const ANY_NUMBER = 1_000_000;

function clearOldResponses(db: Tables, p: { webhookId: string }) {
  return db
    .updateTable('webhook_deliveries')
    .where('seq', 'in', (of) =>
      of
        .selectFrom('webhook_deliveries')
        .where('webhook_id', '=', p.webhookId)
        .where('last_response', 'is not', null)
        .orderBy('last_attempt_at', 'desc')
        .orderBy('seq', 'desc')
        .limit(sql.lit(ANY_NUMBER))
        .offset(sql.lit(RESPONSES_KEPT))
        .select('seq'),
    )
    .set({ last_response: null });
}
