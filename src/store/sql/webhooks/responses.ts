import { sql } from 'kysely';
import type { Tables, Transaction } from '../statement.ts';

/** The newest responses of a webhook whose bodies are kept: 6 MiB at most. */
export const RESPONSES_KEPT = 100;

/** Bodies of a webhook that one step deletes: a few milliseconds. */
const AT_ONCE = 500;

/** Deletes bodies of older responses of these webhooks. Where there are more than one step deletes, the next calls delete the rest. */
export async function dropOldResponses(tx: Transaction, webhookIds: readonly string[]): Promise<void> {
  // In one order, so that two nodes do not wait for each other.
  for (const webhookId of webhookIds.toSorted()) await tx.execute(clearOldResponses, { webhookId });
}

/** But those of deliveries that were attempted again since they were found: they have a newer body. */
function clearOldResponses(db: Tables, p: { webhookId: string }) {
  return db
    .updateTable('webhook_deliveries')
    .where((of) =>
      of(
        of.refTuple('seq', 'last_attempt_at'),
        'in',
        of
          .selectFrom('webhook_deliveries')
          .where('webhook_id', '=', p.webhookId)
          .where('last_response', 'is not', null)
          .orderBy('last_attempt_at', 'desc')
          .orderBy('seq', 'desc')
          .limit(sql.lit(AT_ONCE))
          .offset(sql.lit(RESPONSES_KEPT))
          .select(['seq', 'last_attempt_at'])
          .$asTuple('seq', 'last_attempt_at'),
      ),
    )
    .set({ last_response: null });
}
