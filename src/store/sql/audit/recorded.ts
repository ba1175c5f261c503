import type { Author, ChangeMethod } from '../../contract/store.ts';
import type { Transaction } from '../statement.ts';
import { changeRules } from './change-rules.ts';
import { type AuditTarget, recordEntry } from './entries.ts';

interface UseCase {
  perform(tx: Transaction, ...args: never[]): Promise<unknown>;
}

interface AnyRule {
  targets(tx: Transaction, ...args: unknown[]): AuditTarget[] | Promise<AuditTarget[]>;
  isMade(outcome: unknown): boolean | boolean[];
}

/** Carries out a change with its entries, in one transaction. `args`: of the contract's method; `perform` may take others. */
export async function performRecorded(
  tx: Transaction,
  by: Author,
  method: ChangeMethod,
  args: unknown[],
  perform: () => Promise<unknown>,
): Promise<unknown> {
  const { targets, isMade } = changeRules[method] as unknown as AnyRule;
  const found = await targets(tx, ...args);
  const outcome = await perform();
  const made = isMade(outcome);
  found.forEach((target, at) => {
    if (Array.isArray(made) ? made[at] : made) recordEntry(tx, by, target);
  });
  return outcome;
}

/** The use case that carries out one of these. */
export function recordedOf(changes: Record<ChangeMethod, UseCase>) {
  return async function recorded(tx: Transaction, by: Author, method: ChangeMethod, ...args: unknown[]) {
    return performRecorded(tx, by, method, args, () => changes[method].perform(tx, ...(args as never[])));
  };
}
