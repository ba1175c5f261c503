import type { Live } from '../../client/client.ts';
import { TEXT, wordFor } from './text.ts';

/** `192.0.2.1: answered by another server`; empty where all is well. */
export function liveProblems({ addresses, problem }: Live): string {
  const told = addresses.flatMap(({ address, problem }) =>
    problem === undefined ? [] : [address + TEXT.signs.colon + wordFor(TEXT.domain.problems, problem)],
  );
  return told.length === 0 && problem !== undefined
    ? wordFor(TEXT.domain.problems, problem)
    : told.join(TEXT.signs.semicolon);
}
