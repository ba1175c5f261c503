import { type AuditTarget, recordEntry } from '../audit/entries.ts';
import { findKept, keep } from '../request/requests.ts';
import type { Author, Once, OnceResult } from '../store.ts';
import type { Transaction } from './statement.ts';
import type { WriteRules, WriteUseCase } from './write.ts';

/** Statements of a change beside its SQL. All but `prepare` are required: the compiler refuses a change that forgets one. */
interface ChangeDefinition<Args extends unknown[], Outcome>
  extends WriteRules<Args>,
    Pick<WriteUseCase<Args, Outcome>, 'prepare'> {
  perform(tx: Transaction, ...args: Args): Promise<Outcome>;
  /** The entries that it leaves in the audit log. */
  audit: {
    /** The things that it changes, read before: a deletion leaves nothing to read. */
    targets(tx: Transaction, ...args: Args): AuditTarget[] | Promise<AuditTarget[]>;
    /** Whether an outcome is that it was made; of several targets, to each. */
    isMade(outcome: NoInfer<Outcome>): boolean | boolean[];
  };
}

/** `by`: null, where it leaves no entry. */
export interface ChangeCall {
  by: Author | null;
  once?: Once | undefined;
}

/** A change: what callers of the API and commands do, and with whose name. */
export interface DefinedChange<Args extends unknown[], Outcome>
  extends WriteUseCase<[call: ChangeCall, ...args: Args], OnceResult<Outcome>>,
    Pick<WriteRules<Args>, 'secret'> {}

/** Carries a change out with its entries, and keeps its outcome for repeats, in one transaction. */
export function defineChange<Args extends unknown[], Outcome>({
  perform,
  locks,
  audit,
  secret,
  invalidates,
  prepare,
}: ChangeDefinition<Args, Outcome>): DefinedChange<Args, Outcome> {
  return {
    name: perform.name,
    synced: () => true,
    locks: (_, ...args) => locks(...args),
    secret,
    invalidates: (_, ...args) => invalidates(...args),
    once: ({ once }, ..._) => once?.id,
    ...(prepare && { prepare: async (reader, call, ...args) => [call, ...(await prepare(reader, ...args))] }),
    async perform(transaction, { by, once }, ...args) {
      const tx = { ...transaction, actor: by && (by.kind === 'command' ? `nameplate ${by.action}` : by.actor) };
      const kept = once && (await findKept<Outcome>(tx, once));
      if (kept) return kept;
      const targets = by === null ? [] : await audit.targets(tx, ...args);
      const outcome = await perform(tx, ...args);
      const made = audit.isMade(outcome);
      targets.forEach((target, at) => {
        if (by !== null && (Array.isArray(made) ? made[at] : made)) recordEntry(tx, by, target);
      });
      if (once !== undefined && (Array.isArray(made) ? made.includes(true) : made)) await keep(tx, once, outcome);
      return { kind: 'first', outcome };
    },
  };
}

/** The outcomes that are `made`, or of this kind. */
export const isOutcome = (made: string) => (outcome: string | { kind: string }) =>
  (typeof outcome === 'string' ? outcome : outcome.kind) === made;
export const isTrue = (outcome: boolean) => outcome;
export const isFound = (outcome: object | null) => outcome !== null;
